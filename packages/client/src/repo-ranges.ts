/** Files of a repo read by ranges: what is not asked for is not sent. */

import { problemOf, send, shownUrl } from './http.ts'
import type { HubClient } from './hub-client.ts'
import { ProblemError, TransferError } from './problem.ts'
import type { RepoName } from './repo-name.ts'
import { withRetry } from './retry.ts'

/** The files of a repo, as they were when they were listed. */
export interface RepoRanges {
  /** Of every file, by its path. */
  readonly sizes: ReadonlyMap<string, number>
  /** Bytes from `start` to before `end`, which are within the file. */
  read(path: string, start: number, end: number): Promise<ArrayBuffer>
}

/** Addresses that are kept: a reader goes from one file to the next. */
const MOST_ADDRESSES = 64

/** `at`: a change number, a time, a run or a snapshot; by default the repo as it is now. */
export async function repoRanges(client: HubClient, repo: RepoName, at?: string): Promise<RepoRanges> {
  const sizes = new Map<string, number>()
  for await (const page of client.tree(repo, undefined, { at }))
    for (const { path, size } of page) sizes.set(path, size)
  const addresses = new Map<string, string>()
  const addressOf = async (path: string) => {
    const known = addresses.get(path)
    if (known !== undefined) return known
    const [target] = await client.presignDownload(repo, [path], { at })
    const [oldest] = addresses.keys()
    if (oldest !== undefined && addresses.size >= MOST_ADDRESSES) addresses.delete(oldest)
    addresses.set(path, target?.url ?? '')
    return target?.url ?? ''
  }
  const ask = async (path: string, start: number, end: number) => {
    const url = await addressOf(path)
    const headers = { 'accept-encoding': 'identity', range: `bytes=${start}-${end - 1}` }
    const answer = await send(url, { headers, signal: client.signal })
    if (!answer.ok) {
      // An address is good for an hour.
      addresses.delete(path)
      throw await problemOf(answer)
    }
    const bytes = await answer.arrayBuffer().catch((error: unknown) => {
      client.signal.throwIfAborted()
      throw new TransferError(`${shownUrl(url)} was cut off.`, shownUrl(url), { cause: error })
    })
    // A store without ranges sends all of it.
    const part = answer.status === 206 ? bytes : bytes.slice(start, end)
    if (part.byteLength !== end - start)
      throw new TransferError(`${shownUrl(url)} answered ${part.byteLength} of ${end - start} bytes.`, shownUrl(url))
    return part
  }
  const isTransient = (error: unknown) =>
    error instanceof TransferError ||
    (error instanceof ProblemError && (error.status === 403 || error.status === 429 || error.status >= 500))
  return {
    sizes,
    read: async (path, start, end) =>
      end <= start
        ? new ArrayBuffer(0)
        : withRetry(client.retry, client.signal, () => ask(path, start, end), isTransient),
  }
}
