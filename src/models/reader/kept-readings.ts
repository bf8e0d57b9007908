/**
 * Cache of readings with their dependencies. A reading is valid wherever the entry has the same path and digest and
 * every file that was read, looked up or missing is unchanged: in the same repo after changes to other files, and in
 * another repo with the same content.
 */

import type { ModelReading } from '@hub/mjcf/reading'
import { LRUCache } from 'lru-cache'
import { KEPT_BYTES, KEPT_OF_ENTRY } from './limits.ts'
import type { RepoFile, RepoState } from './repo-files.ts'

/** What was found at a path. */
export interface Dependency {
  readonly path: string
  /** Null where nothing was. */
  readonly sizeBytes: number | null
  /** Digest of a file that was read; null if it was only looked up. */
  readonly sha256: string | null
}

export interface KeptReading {
  readonly reading: ModelReading
  readonly dependencies: readonly Dependency[]
}

/** A reading and the paths that it depends on. */
interface Guess {
  readonly paths: readonly string[]
}

export interface KeptReadings {
  /**
   * The most likely dependencies, so that one statement can query all: those of the repo's last reading of `entry`,
   * else of any repo's.
   */
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
    const others = (byEntry.get(key) ?? []).filter((other) => other !== kept && !sameDependencies(other, kept))
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

/** Whether all dependencies of a reading match `state`, which must include all of its paths. */
export function holds({ dependencies }: KeptReading, state: RepoState): boolean {
  return dependencies.every((dependency) => isUnchanged(dependency, state.files.get(dependency.path)))
}

function isUnchanged({ sizeBytes, sha256 }: Dependency, file: RepoFile | null | undefined): boolean {
  if (!file) return sizeBytes === null
  return sizeBytes === file.sizeBytes && (sha256 === null || sha256 === file.sha256)
}

const entryDigest = ({ reading, dependencies }: KeptReading) =>
  dependencies.find(({ path }) => path === reading.entry)?.sha256 ?? null

const sameDependencies = (one: KeptReading, other: KeptReading) =>
  JSON.stringify(one.dependencies) === JSON.stringify(other.dependencies)

/** The size as UTF-16 JSON approximates the memory of many short strings. */
const weight = (value: unknown) => 2 * JSON.stringify(value).length
