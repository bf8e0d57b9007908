/**
 * Which files of a repo a model needs, and their bytes: the hub's own reader finds them, and nothing else is
 * downloaded.
 */
import { readModel } from '@hub/mjcf/read-model'
import type { ModelReading } from '@hub/mjcf/reading'
import { viewerLimits } from '../limits.ts'
import { missingFiles, tooManyBytes, unreadable, ViewerProblem } from '../problems.ts'
import { textOfEntry } from './text-of-entry.ts'

export interface RepoBytes {
  /** Sizes by path. */
  readonly sizes: ReadonlyMap<string, number>
  /** The bytes of files, in the order asked. `tell` is called with the bytes that have come. */
  read(paths: readonly string[], tell: (bytes: number) => void): Promise<readonly Uint8Array[]>
}

export interface GatheredModel {
  readonly files: ReadonlyMap<string, Uint8Array | string>
  readonly bytes: number
  readonly reading: ModelReading
}

/**
 * The files of the model at `entry`. `base`: of a URDF, whether it floats. `tell`: bytes that have come, and of all
 * that are needed. Throws a `ViewerProblem` where files are missing, too large or not a model.
 */
export async function gatherFiles(
  repo: RepoBytes,
  entry: string,
  base: string | null,
  tell: (stage: 'model' | 'files', doneBytes: number, totalBytes: number) => void,
): Promise<GatheredModel> {
  const texts = keptTexts(repo, (bytes) => tell('model', bytes, bytes))
  let reading = await readModel(texts, entry)
  const replaced = reading.format === 'urdf' ? textOfEntry(await texts.readFile(entry), entry, base) : null
  if (replaced !== null) reading = await readModel(overlaid(texts, entry, replaced), entry)
  assertWhole(reading, entry)
  const total = reading.files.reduce((sum, path) => sum + (repo.sizes.get(path) ?? 0), 0)
  if (total > viewerLimits.filesBytes) throw new ViewerProblem(tooManyBytes(total, viewerLimits.filesBytes))
  const known = texts.known()
  const others = reading.files.filter((path) => !known.has(path))
  let done = total - others.reduce((sum, path) => sum + (repo.sizes.get(path) ?? 0), 0)
  tell('files', done, total)
  const bytes = await repo.read(others, (more) => {
    done += more
    tell('files', done, total)
  })
  const files = new Map<string, Uint8Array | string>()
  for (const path of reading.files) {
    const text = known.get(path)
    if (text) files.set(path, text)
  }
  for (const [at, path] of others.entries()) files.set(path, bytes[at] ?? new Uint8Array())
  if (replaced !== null) files.set(entry, replaced)
  return { files, bytes: total, reading }
}

/**
 * MuJoCo has the last word on all faults but these: of a file that is not there it names one alone, and not always the
 * right one.
 */
function assertWhole(reading: ModelReading, entry: string): void {
  if (reading.missing.length > 0) throw new ViewerProblem(missingFiles(reading.missing))
  if (reading.format === null) throw new ViewerProblem(unreadable(entry, reading.faults))
}

/** Texts are read more than once: by the reader, perhaps twice, and by MuJoCo. */
function keptTexts(repo: RepoBytes, tell: (bytes: number) => void) {
  const known = new Map<string, Uint8Array>()
  let read = 0
  return {
    async readFile(path: string): Promise<Uint8Array | null> {
      const kept = known.get(path)
      if (kept) return kept
      if (!repo.sizes.has(path)) return null
      const [bytes] = await repo.read([path], (more) => {
        read += more
        tell(read)
      })
      if (bytes) known.set(path, bytes)
      return bytes ?? null
    },
    sizesOf: (paths: readonly string[]) => Promise.resolve(paths.map((path) => repo.sizes.get(path) ?? null)),
    known: (): ReadonlyMap<string, Uint8Array> => known,
  }
}

function overlaid(files: ReturnType<typeof keptTexts>, entry: string, text: string) {
  const bytes = new TextEncoder().encode(text)
  return { ...files, readFile: async (path: string) => (path === entry ? bytes : files.readFile(path)) }
}
