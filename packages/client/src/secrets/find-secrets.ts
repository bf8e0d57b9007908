/** The secrets of files that are about to be sent, wherever their texts come from: a disk, or a browser. */
import pMap from 'p-map'
import type { FoundSecret } from './secret-rules.ts'

/** Larger files are data. */
const LARGEST_BYTES = 4 * 1_048_576
/** As Git tells text from binary: a NUL near the beginning. */
export const HEAD_BYTES = 8192
/** By the first bytes of a file, at least `HEAD_BYTES` or all. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, HEAD_BYTES).includes(0)
/** For all files together. */
export const LOOK_MS = 60_000
const CONCURRENCY = 4

export interface SecretInFile extends FoundSecret {
  readonly path: string
}

interface Sized {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

interface Looking<File> {
  /** Null for a file that is not text, or that cannot be read. */
  textOf(file: File): Promise<string | null>
  /** Asked before each file: false leaves the others out. What it throws ends the search. */
  mayGoOn(): boolean
  /** Told of each file once it is looked into. */
  looked(file: File): void
}

/** Whether a file of this size is looked into, if it is text. */
export const isLookedInto = ({ size }: Pick<Sized, 'size'>): boolean => size > 0 && size <= LARGEST_BYTES

/** The secrets, in the order of the files and by line, and how many files were left out. */
export async function findSecrets<File extends Sized>(
  files: readonly File[],
  { textOf, mayGoOn, looked }: Looking<File>,
): Promise<{ readonly found: readonly SecretInFile[]; readonly left: number }> {
  // They take longer to load than a hundred files to look at, and a folder may have no text.
  let rules: Promise<typeof import('./secret-rules.ts')> | undefined
  const secretsOf = async (text: string, path: string) => {
    rules ??= import('./secret-rules.ts')
    return (await rules).secretsIn(text, path)
  }
  let left = 0
  const look = async (file: File): Promise<SecretInFile[]> => {
    if (!mayGoOn()) {
      left += 1
      return []
    }
    const text = await textOf(file)
    const found = text === null ? [] : await secretsOf(text, file.path)
    looked(file)
    return found.map((secret) => ({ path: file.path, ...secret }))
  }
  const found = await pMap(files, look, { concurrency: CONCURRENCY })
  return { found: found.flat(), left }
}
