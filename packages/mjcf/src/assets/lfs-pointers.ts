/** Git LFS pointers instead of files: the state of a checkout before `git lfs pull`. */
import type { ModelFiles } from '../model-files.ts'
import type { FileSizes } from './close-assets.ts'

const FIRST_LINE = 'version https://git-lfs.github.com/spec/'
/**
 * Pointers have at least 126 bytes, depending on the digits of the size, and rarely further lines; hardly any asset is
 * as small.
 */
const LEAST = 120
const MOST = 200
/** Pointers rarely occur alone, and a reading ends after a hundred faults. */
const MAX_READ = 100

/** Reads the files that are small enough to be pointers; the paths of those that are. */
export async function lfsPointersAmong(sizes: FileSizes, files: ModelFiles): Promise<ReadonlySet<string>> {
  const small = [...sizes].filter(([, size]) => size !== null && size >= LEAST && size <= MOST)
  const paths = small.slice(0, MAX_READ).map(([path]) => path)
  const contents = await Promise.all(paths.map((path) => files.readFile(path)))
  return new Set(paths.filter((_, at) => isPointer(contents[at] ?? null)))
}

function isPointer(bytes: Uint8Array | null): boolean {
  return bytes !== null && new TextDecoder().decode(bytes.subarray(0, FIRST_LINE.length)) === FIRST_LINE
}
