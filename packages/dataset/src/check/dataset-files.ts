/** The files of a data set, on a disk or in a repo, and texts among them line by line. */
import type { ByteFile } from '../parquet.ts'

/** What a check asks of a data set. */
export interface DatasetFiles {
  /** Every file by its path, with its size. */
  readonly sizes: ReadonlyMap<string, number>
  /** Bytes from `start` to before `end` of a file. */
  read(path: string, start: number, end: number): Promise<ArrayBuffer>
}

/** Null where there is no such file. */
export function byteFileOf(files: DatasetFiles, path: string): ByteFile | null {
  const sizeBytes = files.sizes.get(path)
  if (sizeBytes === undefined) return null
  return { path, sizeBytes, read: (start, end) => files.read(path, start, end) }
}

/** `meta/info.json` and `meta/stats.json` have a few KB; a text over this is not read. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024

/** A small text whole; null where there is no such file, or it is too large. */
export async function readText(files: DatasetFiles, path: string): Promise<string | null> {
  const file = byteFileOf(files, path)
  if (!file || file.sizeBytes > MAX_TEXT_BYTES) return null
  return new TextDecoder().decode(await file.read(0, file.sizeBytes))
}

const PART_BYTES = 1024 * 1024

/** The lines of a file of any size; none where there is no such file. A part of it is in memory. */
export async function* linesOf(files: DatasetFiles, path: string): AsyncGenerator<string> {
  const file = byteFileOf(files, path)
  if (!file) return
  const decoder = new TextDecoder()
  let rest = ''
  for (let start = 0; start < file.sizeBytes; start += PART_BYTES) {
    const bytes = await file.read(start, Math.min(file.sizeBytes, start + PART_BYTES))
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** An object of JSON; null for anything else. Python writes NaN and infinities, which are null here. */
export function jsonObject(text: string | null): Record<string, unknown> | null {
  if (text === null || text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text.replaceAll(/(?<=[[,:]\s*)(?:NaN|-?Infinity)(?=\s*[\],}])/g, 'null'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
