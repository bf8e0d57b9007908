/** Records the files that a reading requests: a cached reading is valid while none of them has changed. */
import type { ModelFiles } from './model-files.ts'
import type { ModelReading } from './reading.ts'

export interface RecordedFiles extends ModelFiles {
  asked(): ModelReading['asked']
  /** Paths whose text was read, in order of request. */
  read(): string[]
}

/** Delegates all calls to `files`. */
export function recordedFiles(files: ModelFiles): RecordedFiles {
  const requested = new Map<string, boolean>()
  const read = new Set<string>()
  return {
    async readFile(path) {
      requested.set(path, true)
      const bytes = await files.readFile(path)
      if (bytes) read.add(path)
      return bytes
    },
    async sizesOf(paths) {
      for (const path of paths) if (!requested.has(path)) requested.set(path, false)
      return files.sizesOf(paths)
    },
    asked: () => [...requested].map(([path, text]) => ({ path, text })),
    read: () => [...read],
  }
}
