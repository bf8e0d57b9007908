/** Files as a reading sees them, with a record of what it asked for: a kept reading holds as long as all of that is as it was. */
import type { ModelFiles } from './model-files.ts'
import type { ModelReading } from './reading.ts'

export interface RecordedFiles extends ModelFiles {
  asked(): ModelReading['asked']
  /** Paths whose text was read, in the order asked. */
  read(): string[]
}

/** Passes all questions on to `files`. */
export function recordedFiles(files: ModelFiles): RecordedFiles {
  const asked = new Map<string, boolean>()
  const read = new Set<string>()
  return {
    async readFile(path) {
      asked.set(path, true)
      const bytes = await files.readFile(path)
      if (bytes) read.add(path)
      return bytes
    },
    async sizesOf(paths) {
      for (const path of paths) if (!asked.has(path)) asked.set(path, false)
      return files.sizesOf(paths)
    },
    asked: () => [...asked].map(([path, text]) => ({ path, text })),
    read: () => [...read],
  }
}
