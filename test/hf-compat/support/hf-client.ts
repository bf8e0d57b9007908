/** Requests as the clients of Hugging Face make them, to the hub of a test. */
import type { contractHub, Person, Who } from '../../support/hub.ts'

type Hub = ReturnType<typeof contractHub>

export function hfClient(hub: Hub) {
  const request = (who: Who, method: string, path: string, init: RequestInit = {}) =>
    hub.send(who, method, path, { redirect: 'manual', ...init })

  /** A request with a JSON body. */
  const json = (who: Who, method: string, path: string, body: unknown) =>
    request(who, method, path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

  /** `get_paths_info` sends a form. */
  const form = (who: Who, path: string, members: readonly (readonly [string, string])[]) => {
    const body = new URLSearchParams(members.map(([name, value]) => [name, value]))
    return request(who, 'POST', path, { body })
  }

  /** A data set of a person with these files, by `/v1`. */
  async function dataset(person: Person, files: Readonly<Record<string, string>>): Promise<string> {
    const name = await hub.repo(person)
    if (Object.keys(files).length > 0) await hub.upload(person, name, files)
    return name
  }

  return { get: (who: Who, path: string) => request(who, 'GET', path), request, json, form, dataset }
}

/** How a client knows what is wrong. */
export const refusal = (answer: { status: number; headers: Headers }) => [
  answer.status,
  answer.headers.get('x-error-code'),
]
