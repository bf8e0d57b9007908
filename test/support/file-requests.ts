/** Requests about the files of a repo, and what tests look at in the answers. */
import { expect } from 'vitest'
import { type Answer, type contractHub, type Json, places, sha256Of, types, type Who } from './hub.ts'

export const MIB = 1_048_576
/** A time as every answer spells it. */
export const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** What a client says of a file before it sends it; the bytes are the path, unless said. */
export const file = (path: string, bytes = path) => ({ path, size: Buffer.byteLength(bytes), sha256: sha256Of(bytes) })
/** The paths of a page of files. */
export const paths = (answer: Answer): string[] => answer.json.items.map((item: Json) => item.path)
/** What was wrong, and where. */
export const refusal = (answer: Answer) => [answer.status, types(answer), places(answer)]

/** Requests to one hub. */
export function fileRequests(hub: ReturnType<typeof contractHub>) {
  const files = (who: Who, operation: string, body: unknown, repo: string) =>
    hub.call(who, 'POST', `/v1/repos/${repo}/files/${operation}`, body)
  const tree = (who: Who, repo: string, query = '') => hub.call(who, 'GET', `/v1/repos/${repo}/tree?${query}`)
  /** The state that a rejected request must not change. */
  const state = async (who: Who, repo: string) => [
    (await tree(who, repo)).json,
    (await hub.call(who, 'GET', `/v1/repos/${repo}`)).json,
  ]
  return { files, tree, state }
}
