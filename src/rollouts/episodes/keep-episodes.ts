/**
 * Episodes that a result keeps: their bytes are sent to the repo of the model ahead, as those of a commit are, and the
 * transaction that inserts the result takes them. So none is named that is not stored, and its digest is the hub's own.
 */

import { type Ready, repeatedly, withSources } from '../../files/commit/with-sources.ts'
import { assertDistinct } from '../../files/duplicates.ts'
import { linkBlobs } from '../../files/link-blobs.ts'
import { finishUploads, moveReservation } from '../../files/link-files.ts'
import { contentOf } from '../../files/readable-blobs.ts'
import { countBytes } from '../../files/reservation.ts'
import { discardUploads, type UploadRow } from '../../files/upload-sql.ts'
import type { AllowedContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import type { Tx } from '../../store/db.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { MAX_KEPT_EPISODES } from '../limits.ts'
import { insertEpisodes, keptBytes, keptSeeds } from './episode-rows.ts'

/** The episode of a seed, by the digest of bytes that were sent ahead. */
export interface EpisodeContent {
  readonly seed: number
  /** Lower-case hex. */
  readonly sha256: string
  readonly size: number
}

/** Episodes whose bytes are whole and checked. */
export interface SentEpisodes extends Ready {
  readonly episodes: readonly EpisodeContent[]
}

const locOf = (index: number) => ['episodes', index, 'sha256']

/** 422 for a seed that is named twice, or that the result has not. */
export function assertOfSeeds(episodes: readonly EpisodeContent[], outcomes: readonly { readonly seed: number }[]) {
  assertDistinct(
    episodes.map(({ seed }) => String(seed)),
    'seed',
    (index) => ['episodes', index, 'seed'],
  )
  const seeds = new Set(outcomes.map(({ seed }) => seed))
  const items = episodes.flatMap(({ seed }, index) => {
    const detail = `The result has no seed ${seed}, so it keeps no episode of it.`
    return seeds.has(seed) ? [] : [{ type: 'validation.value' as const, detail, loc: ['episodes', index, 'seed'] }]
  })
  const [first] = items
  if (first) throw new HubError('validation.failed', first.detail, { items })
}

/** Runs `work` with the bytes; null where there are none. Errors: 409 `conflict.in_progress`, 422 `upload.*`, 503. */
export function withEpisodes<T>(
  ctx: AllowedContext,
  model: RepoFacts,
  episodes: readonly EpisodeContent[],
  work: (sent: SentEpisodes | null) => Promise<T>,
): Promise<T> {
  if (episodes.length === 0) return work(null)
  const objects = requireObjects(ctx.deps)
  const added = episodes.map((one) => ({ ...one, path: `the episode of seed ${one.seed}` }))
  return repeatedly(async () => {
    const kept = await keptBytes(
      ctx.deps.db,
      model.id,
      episodes.map(({ sha256 }) => sha256),
    )
    const known = new Map(kept.map((blob) => [contentOf(blob), blob]))
    return withSources(ctx, objects, { repo: model, added, locOf, known }, (ready) => work({ ...ready, episodes }))
  })
}

/**
 * Keeps the episodes of seeds that the result has none of; the others stay as they are, and what was sent for them is
 * discarded. Returns how many it keeps more. The caller holds the locks of the model and of its owner. Lock order:
 * accounts, uploads, blobs. Errors: 409 `conflict.in_progress`, 413 `quota.storage`, 422 for more than a result keeps.
 */
export async function keepEpisodes(
  tx: Tx,
  { deps }: AllowedContext,
  { rolloutId, ownerId }: { readonly rolloutId: string; readonly ownerId: string },
  { episodes, uploads, attempt, blobs }: SentEpisodes,
): Promise<number> {
  const kept = await keptSeeds(tx, rolloutId)
  const fresh = episodes.filter(({ seed }) => !kept.has(seed))
  if (kept.size + fresh.length > MAX_KEPT_EPISODES) throw tooMany(kept.size)
  const contents = new Set(fresh.map(contentOf))
  const isTaken = (upload: UploadRow) => contents.has(contentOf(upload))
  await endUploads(tx, ownerId, attempt, uploads.filter(isTaken))
  const spare = uploads.filter((upload) => !isTaken(upload)).map(({ id }) => id)
  if (spare.length > 0) await discardUploads(tx, spare, attempt)
  if (fresh.length === 0) return 0
  const sources = [...contents].flatMap((key) => blobs.get(key)?.blob ?? [])
  const linked = await linkBlobs(tx, sources)
  const byContent = new Map([...contents].map((key, index) => [key, linked[index]?.id]))
  await tx.query(insertEpisodes, {
    rolloutId,
    ownerId,
    seeds: fresh.map(({ seed }) => seed),
    blobIds: fresh.map((one) => byContent.get(contentOf(one)) ?? ''),
  })
  await countBytes(tx, deps.config, ownerId, bytesOf(fresh))
  return fresh.length
}

function tooMany(kept: number): HubError {
  const detail = `A result keeps ${MAX_KEPT_EPISODES} episodes at most, and this one keeps ${kept} of other seeds.`
  const items = [{ type: 'validation.value' as const, detail, loc: ['episodes'] }]
  return new HubError('validation.failed', detail, { items })
}

async function endUploads(tx: Tx, ownerId: string, attempt: string | null, taken: readonly UploadRow[]): Promise<void> {
  if (taken.length === 0) return
  await finishUploads(tx, { ids: taken.map(({ id }) => id), attempt })
  await tx.query(moveReservation, { ownerId, reservedBytes: bytesOf(taken), netBytes: 0, uploads: taken.length })
}

const bytesOf = (all: readonly { readonly size: number }[]) => all.reduce((sum, { size }) => sum + size, 0)
