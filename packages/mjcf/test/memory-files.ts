/** Files of a model in memory, as the reader requests them. */
import type { ModelFiles } from '../src/model-files.ts'

/** Counts nothing and never fails: a missing file is null. */
export function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>): ModelFiles {
  const bytes = new Map(
    Object.entries(files).map(([path, data]) => [
      path,
      typeof data === 'string' ? new TextEncoder().encode(data) : data,
    ]),
  )
  return {
    readFile: async (path) => bytes.get(path) ?? null,
    sizesOf: async (paths) => paths.map((path) => bytes.get(path)?.length ?? null),
  }
}
