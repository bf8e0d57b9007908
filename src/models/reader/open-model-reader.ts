/**
 * Reads models of repos: the files from the store, parsing in a separate process, with a cache of complete readings. An
 * unchanged model costs one statement, no parsing and no read of the store; concurrent readings of the same state share
 * one.
 */

import { openReadingPool, type ReadingPool } from '@hub/mjcf/processes/reading-pool'
import { ReadingUnavailable } from '@hub/mjcf/processes/unavailable'
import type { Logger } from 'pino'
import type { Deps } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { withoutShare } from '../../store/connection-share.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { type Dependency, holds, type KeptReading, type KeptReadings, keptReadings } from './kept-readings.ts'
import type { ModelReader, RepoReading } from './model-reader.ts'
import { byteBudget, type RepoFile, type RepoState, type RepoTree, readFiles, repoState } from './repo-files.ts'
import { sharedWork } from './shared-work.ts'

type Stores = Pick<Deps, 'db' | 'objects'>

/**
 * A push changes files for seconds, and a reading takes a tenth of a second: give up after three readings whose files
 * changed meanwhile.
 */
const ATTEMPTS = 3

/** `reader` is the module of a reading process; tests have their own. Processes are started lazily. */
export function openModelReader(options: { readonly log: Logger; readonly reader?: URL }): ModelReader {
  const pool = openReadingPool(options)
  const kept = keptReadings()
  const share = sharedWork<RepoReading | null>()
  return {
    async read(deps, tree, entry, signal) {
      requireObjects(deps)
      const { repoId } = tree
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const state = await repoState(deps.db, tree, [entry, ...kept.guess(repoId, entry)])
        const hit = await findKept({ deps, kept, tree, entry, state })
        if (hit) return { reading: hit.reading, seq: state.seq }
        const read = await share(`${state.seq}\0${repoId}\0${entry}\0${overlayKey(tree)}`, signal, (shared) =>
          withoutShare(() => readNow({ deps, pool, kept, tree, entry, state, signal: shared })),
        )
        if (read) return read
      }
      throw new HubError('unavailable', 'The files of the model keep changing while it is read; try again.')
    },
    close: () => pool.close(),
  }
}

/** Readings share work where their overlays have the same content. */
const overlayKey = ({ overlay }: RepoTree) =>
  JSON.stringify(Array.from(overlay.values(), ({ path, sha256 }) => [path, sha256]))

/** A cached reading that is valid now. No statement if the guess was right, else one. */
async function findKept({
  deps,
  kept,
  tree,
  entry,
  state,
}: {
  readonly deps: Stores
  readonly kept: KeptReadings
  readonly tree: RepoTree
  readonly entry: string
  readonly state: RepoState
}): Promise<KeptReading | null> {
  const sha256 = state.files.get(entry)?.sha256
  if (!sha256) return null
  const candidates = kept.candidates(entry, sha256)
  const paths = candidates.flatMap(({ dependencies }) => dependencies.map(({ path }) => path))
  const askedAll = ({ dependencies }: KeptReading) => dependencies.every(({ path }) => state.files.has(path))
  let found = candidates.find((candidate) => askedAll(candidate) && holds(candidate, state))
  if (!found && paths.some((path) => !state.files.has(path))) {
    const whole = await repoState(deps.db, tree, paths)
    // `seq` has changed: the facts belong to two states; the reading that follows is correct in any case.
    if (whole.seq === state.seq) found = candidates.find((candidate) => holds(candidate, whole))
  }
  if (found) kept.use(tree.repoId, found)
  return found ?? null
}

/**
 * Reads the model; null if its files changed in the meantime. Each path is queried once, those in `state` not at all.
 */
async function readNow({
  deps,
  pool,
  kept,
  tree,
  entry,
  state,
  signal,
}: {
  readonly deps: Stores
  readonly pool: ReadingPool
  readonly kept: KeptReadings
  readonly tree: RepoTree
  readonly entry: string
  readonly state: RepoState
  readonly signal: AbortSignal
}): Promise<RepoReading | null> {
  const known = new Map(state.files)
  const dependencies = new Map<string, Dependency>()
  const budget = byteBudget()
  let lastSeq = state.seq
  let unverified = false
  const look = async (paths: readonly string[], text: boolean): Promise<(RepoFile | null)[]> => {
    const unknown = paths.filter((path) => !known.has(path))
    if (unknown.length > 0) {
      const found = await repoState(deps.db, tree, unknown)
      for (const [path, file] of found.files) known.set(path, file)
      if (found.seq !== state.seq) lastSeq = found.seq
    }
    return paths.map((path) => {
      const file = known.get(path) ?? null
      const read = text || dependencies.get(path)?.sha256 != null
      if (read && file?.sha256 === null) unverified = true
      dependencies.set(path, { path, sizeBytes: file?.sizeBytes ?? null, sha256: read ? (file?.sha256 ?? null) : null })
      return file
    })
  }
  const reads = pool.read(
    {
      readFiles: async (paths, stop) => readFiles(deps, await look(paths, true), budget, stop),
      sizesOf: async (paths) => (await look(paths, false)).map((file) => file?.sizeBytes ?? null),
    },
    entry,
    signal,
    tree.asker,
  )
  const { reading, whole } = await reads.catch((error: unknown) => {
    throw error instanceof ReadingUnavailable ? new HubError('unavailable', error.message) : error
  })
  const result: KeptReading = { reading, dependencies: [...dependencies.values()] }
  if (lastSeq !== state.seq) {
    const now = await repoState(deps.db, tree, [...dependencies.keys()])
    // Bytes without a digest cannot be compared.
    if (unverified || !holds(result, now)) return null
    lastSeq = now.seq
  }
  if (whole && !unverified) kept.keep(tree.repoId, result)
  return { reading, seq: lastSeq }
}
