/**
 * Readings that are kept, with everything they stand on. One holds wherever the entry has the same path and digest and every file that was read, looked for
 * or missed is as it was: in the same repo after other files changed, and in another repo with the same content.
 */
import { LRUCache } from 'lru-cache'
import type { ModelReading } from '../mjcf/reading.ts'
import { KEPT_BYTES, KEPT_OF_ENTRY } from './limits.ts'
import type { RepoFile, RepoState } from './repo-files.ts'

/** What was found at a path. */
export interface Dependency {
  readonly path: string
  /** Null where nothing was. */
  readonly sizeBytes: number | null
  /** Of a file that was read; null for one that was only looked for. */
  readonly sha256: string | null
}

export interface KeptReading {
  readonly reading: ModelReading
  readonly dependencies: readonly Dependency[]
}

/** A reading and the paths that decide whether it holds. */
interface Guess {
  readonly paths: readonly string[]
}

export interface KeptReadings {
  /** Paths whose state will most likely decide, so that one statement can ask for all: of the repo's last reading of `entry`, else of anyone's. */
  guess(repoId: string, entry: string): readonly string[]
  /** Readings of an entry with this digest, the last used first. */
  candidates(entry: string, sha256: string): readonly KeptReading[]
  /** Remembers that `reading` holds for the repo. */
  use(repoId: string, kept: KeptReading): void
  /** Keeps a reading; without a verified digest of its entry it is not kept. */
  keep(repoId: string, kept: KeptReading): void
}

/** Holds nothing yet; at most 32 MiB. */
export function keptReadings(): KeptReadings {
  const byEntry = new LRUCache<string, readonly KeptReading[]>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (all) =>
      all.reduce((sum, { reading, dependencies }) => sum + weight(reading) + weight(dependencies), 1),
  })
  // Paths are shared with the readings above, so that these are small.
  const guesses = new LRUCache<string, Guess>({ max: 5_000 })
  const remember = (repoId: string, { reading, dependencies }: KeptReading) => {
    const guess = { paths: dependencies.map(({ path }) => path) }
    guesses.set(`${repoId}\0${reading.entry}`, guess)
    guesses.set(reading.entry, guess)
  }
  const put = (repoId: string, kept: KeptReading) => {
    const digest = entryDigest(kept)
    if (digest === null) return
    const key = `${digest}\0${kept.reading.entry}`
    const others = (byEntry.get(key) ?? []).filter((other) => other !== kept && !sameFootings(other, kept))
    byEntry.set(key, [kept, ...others].slice(0, KEPT_OF_ENTRY))
    remember(repoId, kept)
  }
  return {
    guess: (repoId, entry) => (guesses.get(`${repoId}\0${entry}`) ?? guesses.get(entry))?.paths ?? [],
    candidates: (entry, sha256) => byEntry.get(`${sha256}\0${entry}`) ?? [],
    use: remember,
    keep: put,
  }
}

/** Whether everything that a reading stands on is in `state`, which must have been asked for all of its paths. */
export function holds({ dependencies }: KeptReading, state: RepoState): boolean {
  return dependencies.every((dependency) => isAsItWas(dependency, state.files.get(dependency.path)))
}

function isAsItWas({ sizeBytes, sha256 }: Dependency, file: RepoFile | null | undefined): boolean {
  if (!file) return sizeBytes === null
  return sizeBytes === file.sizeBytes && (sha256 === null || sha256 === file.sha256)
}

const entryDigest = ({ reading, dependencies }: KeptReading) =>
  dependencies.find(({ path }) => path === reading.entry)?.sha256 ?? null

const sameFootings = (one: KeptReading, other: KeptReading) =>
  JSON.stringify(one.dependencies) === JSON.stringify(other.dependencies)

/** JSON in UTF-16 is about what an object of many short strings takes. */
const weight = (value: unknown) => 2 * JSON.stringify(value).length
