/**
 * A folder with one file added or replaced, so that a converted model is read together with the files that it needs.
 */
import type { FileWaves } from '@hub/mjcf/processes/reading-pool'

/** `files`, but at `path` there is `text`. */
export function overlaidFiles(files: FileWaves, path: string, text: string): FileWaves {
  const bytes = new TextEncoder().encode(text)
  return {
    readFiles: async (paths, signal) => {
      const found = await files.readFiles(paths, signal)
      return paths.map((asked, at) => (asked === path ? bytes : (found[at] ?? null)))
    },
    sizesOf: async (paths, signal) => {
      const found = await files.sizesOf(paths, signal)
      return paths.map((asked, at) => (asked === path ? bytes.length : (found[at] ?? null)))
    },
  }
}
