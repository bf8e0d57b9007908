/** The first bytes of a file of a repo, as text. */
import { fetchFile } from '../../files/fetch-file.ts'
import { PageError } from '../../ui/problem.ts'
import { resolvePath } from './repo-links.ts'

/** More is neither asked for nor kept. */
export const START_BYTES = 512 * 1024

interface Start {
  readonly text: string
  /** Whether the file continues. */
  readonly isCut: boolean
}

/** Asks for a range, and stops reading where a store sends more. Rejects with what a person can be told. */
export async function readStart(owner: string, repo: string, path: string, signal: AbortSignal): Promise<Start> {
  const headers = { range: `bytes=0-${START_BYTES - 1}` }
  const answer = await fetchFile(resolvePath(owner, repo, path), { headers, signal })
  // A range of an empty file cannot be satisfied.
  if (answer.status === 416) return { text: '', isCut: false }
  if (!answer.ok || answer.body === null)
    throw new PageError('The file is not read', `The file cannot be read now (HTTP ${answer.status}).`)
  const total = Number(answer.headers.get('content-range')?.split('/')[1] ?? Number.NaN)
  const { bytes, isCut } = await firstBytes(answer.body, START_BYTES)
  return { text: new TextDecoder().decode(bytes), isCut: isCut || total > START_BYTES }
}

/** At most so many bytes of an answer, and whether it had more. */
export async function firstBytes(body: ReadableStream<Uint8Array>, most: number) {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = body.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    parts.push(new Uint8Array(value))
    length += value.length
    if (length <= most) continue
    await reader.cancel()
    break
  }
  return { bytes: new Uint8Array(await new Blob(parts).slice(0, most).arrayBuffer()), isCut: length > most }
}
