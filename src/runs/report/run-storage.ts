/**
 * The bytes of a run count against its owner's storage quota, together with files (contract, "Storage quota"): the log,
 * metrics and media that its runner sent, its config, its scorecard, the summary of an import. The transaction that
 * stores them counts them, with its last lock: repos, runs, accounts. The hub's own notices do not count.
 */

import type { Config } from '../../platform/config.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { countStored } from '../../work/job-objects.ts'
import { runJob } from '../run-job.ts'

export interface KeptBytes {
  /** Bytes of log, metrics or an import's summary, which are never replaced. */
  readonly added: number
  /** Size of a config or scorecard that replaces the current one; null if there is no replacement. */
  readonly config: number | null
  readonly scorecard: number | null
}

/** A recipe has some kilobytes; one that is used to store something else counts. */
const FREE_RECIPE_BYTES = 64 * 1024

/** What a recipe, as JSON, counts: nothing up to 64 KiB, and all of its bytes beyond. */
export function countedRecipe(text: string): number {
  const bytes = Buffer.byteLength(text)
  return bytes > FREE_RECIPE_BYTES ? bytes : 0
}

/** Sizes of the current artifacts. The size of an artifact that is replaced is subtracted. */
export interface ArtifactBytes {
  readonly configBytes: number | null
  readonly scorecardBytes: number | null
}

/** Growth of the run in bytes; negative if a smaller artifact replaces a larger one. */
export function growthOf({ added, config, scorecard }: KeptBytes, before: ArtifactBytes): number {
  const grown = (now: number | null, was: number | null) => (now === null ? 0 : now - (was ?? 0))
  return added + grown(config, before.configBytes) + grown(scorecard, before.scorecardBytes)
}

/** What the update of a run by its report does to its sizes. */
export const artifactParams = {
  storedBytes: param.int8(),
  configBytes: param.int4.orNull(),
  scorecardBytes: param.int4.orNull(),
}
const sizesSql = `config_bytes = coalesce(:configBytes::int, config_bytes),
    scorecard_bytes = coalesce(:scorecardBytes::int, scorecard_bytes)`
export const storedBytesSql = `stored_bytes = stored_bytes + :storedBytes::bigint, ${sizesSql}`

/** The values of `artifactParams`. The owner's storage grows by `storedBytes` in the same transaction. */
export function artifactValues(kept: KeptBytes, before: ArtifactBytes) {
  return { storedBytes: growthOf(kept, before), configBytes: kept.config, scorecardBytes: kept.scorecard }
}

const measure = statement({
  name: 'run-storage-sizes',
  params: { runId: param.text(), configBytes: param.int4.orNull(), scorecardBytes: param.int4.orNull() },
  text: `update runs set ${sizesSql} where id = :runId`,
})

/**
 * Counts the bytes that a run gets, in the caller's transaction, which holds the run's row lock; 413 `quota.storage` if
 * the owner's quota is exceeded.
 */
export async function countRunBytes(
  tx: Querier,
  config: Config,
  run: { readonly id: string; readonly ownerId: string } & ArtifactBytes,
  kept: KeptBytes,
): Promise<void> {
  const { config: configBytes, scorecard: scorecardBytes } = kept
  if (configBytes !== null || scorecardBytes !== null)
    await tx.query(measure, { runId: run.id, configBytes, scorecardBytes })
  await countStored(tx, config, runJob, { id: run.id, ownerId: run.ownerId, bytes: growthOf(kept, run) })
}

const release = statement({
  name: 'run-storage-give-back',
  params: { runId: param.text(), withConfig: param.bool() },
  text: `with run as (select id, owner_id, case when :withConfig then coalesce(config_bytes, 0) else 0 end + coalesce(scorecard_bytes, 0) as bytes
        from runs where id = :runId),
      room as (update accounts a set storage_bytes = a.storage_bytes - run.bytes from run where a.id = run.owner_id
        and run.bytes > 0 returning a.id)
    update runs u set stored_bytes = u.stored_bytes - run.bytes, scorecard_bytes = null,
      config_bytes = case when :withConfig then null else u.config_bytes end
    from run where u.id = run.id`,
})

/**
 * Subtracts the scorecard of a lost attempt, and its config if `withConfig`: an attempt that resumes keeps the config.
 */
export async function releaseArtifacts(tx: Querier, runId: string, withConfig: boolean): Promise<void> {
  await tx.query(release, { runId, withConfig })
}

const releaseAll = statement({
  name: 'run-storage-give-all-back',
  params: { runId: param.text() },
  text: `update accounts a set storage_bytes = a.storage_bytes - u.stored_bytes from runs u where u.id = :runId and a.id = u.owner_id`,
})

/** Subtracts all counted bytes of a run from its owner's storage, before the run is deleted. */
export async function releaseRunStorage(tx: Querier, runId: string): Promise<void> {
  await tx.query(releaseAll, { runId })
}
