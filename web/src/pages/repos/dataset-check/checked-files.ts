/** The files of a repo as a check of a data set reads them: by ranges, from where they are stored. */
import type { DatasetFiles } from '@hub/dataset/dataset-files'
import { readRange } from '../../../files/range-file.ts'
import type { RepoFiles } from '../repo-files.ts'

/** A data set of layout 2 has a table and a few videos for each episode. */
const MOST_FILES = 20_000

/** Files whose addresses are kept: a check goes from one to the next. */
const MOST_OPEN = 64

/** Rejects with an `Error` in words where there are too many files for a page. */
export async function checkedFiles(files: RepoFiles, signal?: AbortSignal): Promise<DatasetFiles> {
  const listed = await files.list('', MOST_FILES)
  if (listed === null) throw new Error(`There are more than ${MOST_FILES} files: check the repo with hub data check.`)
  const sizes = new Map(listed)
  const open = new Map<string, ReturnType<typeof readRange>>()
  return {
    sizes,
    async read(path, start, end) {
      signal?.throwIfAborted()
      const url = async () => (await files.sign([path]))[0] ?? ''
      const read = open.get(path) ?? readRange({ path, sizeBytes: sizes.get(path) ?? 0, url })
      const [oldest] = open.keys()
      if (oldest !== undefined && open.size >= MOST_OPEN) open.delete(oldest)
      open.set(path, read)
      return read(start, end)
    },
  }
}
