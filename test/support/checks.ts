/** Robot checks for tests: a robot of one file, and a check of it in the state that a test begins with. */
import { expect } from 'vitest'
import type { Answer, contractHub, Json, Person, Who } from './hub.ts'

/** What a worker says of a check that went well. */
export const goodReport = { ok: true, grade: 'pass', source: 'job', engine: 'mujoco', checks: [] }

export function checksOf(hub: ReturnType<typeof contractHub>) {
  const ok = async (asked: Promise<Answer>, status: number): Promise<Json> => {
    const { status: got, json } = await asked
    expect([got, json?.errors]).toEqual([status, undefined])
    return json
  }

  /** `owner/slug` of a new robot with `arm.xml`. */
  async function robot(who: Person, change: Record<string, unknown> = {}): Promise<string> {
    const name = await hub.repo(who, { kind: 'robot', ...change })
    await hub.upload(who, name, { 'arm.xml': '<mujoco/>' })
    return name
  }

  const request = (robot_repo: string) => ({
    kind: 'robot',
    robot_repo,
    entry: 'arm.xml',
    control_hz: 50,
    action: 'position',
  })

  /** Id of a queued check. */
  const queue = async (who: Who, name: string): Promise<string> =>
    (await ok(hub.call(who, 'POST', '/v1/robot-checks', request(name)), 201)).id

  const post = (who: Who, check: string, verb: string, body: Json = {}) =>
    hub.call(who, 'POST', `/v1/robot-checks/${check}/${verb}`, body)

  /** Id of a check that this credential holds. */
  async function claimed(who: Who, name: string): Promise<string> {
    const id = await queue(who, name)
    await ok(post(who, id, 'claim', { worker: 'box' }), 200)
    return id
  }

  const report = (who: Who, check: string, body: Json) => ok(post(who, check, 'report', body), 200)
  const read = async (who: Who, check: string): Promise<Json> =>
    ok(hub.call(who, 'GET', `/v1/robot-checks/${check}`), 200)

  /** Presigns and sends an artifact; its storage key. */
  async function send(who: Who, check: string, name: string, text: string): Promise<string> {
    const files = [{ name, size: Buffer.byteLength(text), content_type: 'application/octet-stream' }]
    const { uploads } = await ok(post(who, check, 'artifacts', { files }), 200)
    expect((await hub.put(uploads[0].url, text)).status).toBe(200)
    return uploads[0].key
  }

  return { robot, request, queue, post, claimed, report, read, send }
}
