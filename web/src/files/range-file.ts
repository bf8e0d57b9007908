/** Bytes of a file of a repo by range requests: a file of gigabytes is opened with what is shown of it. */
import type { ByteFile } from '@hub/dataset/parquet'
import { fetchFile } from './fetch-file.ts'

export interface RangeFile {
  readonly path: string
  readonly sizeBytes: number
  /** An address that answers range requests. */
  url(): Promise<string>
}

/** Reads bytes from `start` up to `end`, which are within the file. `tell` is called with the bytes of each answer. */
export function readRange(
  file: RangeFile,
  tell: (bytes: number) => void = () => {},
): (start: number, end: number) => Promise<ArrayBuffer> {
  let address: Promise<string> | null = null
  /** Kept for all ranges; one that was not given is asked for again. */
  const found = async () => {
    address ??= file.url()
    try {
      return await address
    } catch (error) {
      address = null
      throw error
    }
  }
  const ask = async (start: number, end: number) =>
    fetchFile(await found(), { headers: { range: `bytes=${start}-${end - 1}` } })
  return async (start, end) => {
    // A range of no bytes cannot be written.
    if (end <= start) return new ArrayBuffer(0)
    let answer = await ask(start, end)
    if (answer.status === 401 || answer.status === 403) {
      // An address is good for an hour; a page is open for longer.
      address = null
      answer = await ask(start, end)
    }
    if (!answer.ok) throw new Error(`the answer was ${answer.status}.`)
    const bytes = await answer.arrayBuffer()
    tell(bytes.byteLength)
    // A store without ranges sends all of it.
    return answer.status === 206 ? bytes : bytes.slice(start, end)
  }
}

/** A file for a reader of tables. */
export const byteFile = (file: RangeFile, tell?: (bytes: number) => void): ByteFile => ({
  path: file.path,
  sizeBytes: file.sizeBytes,
  read: readRange(file, tell),
})
