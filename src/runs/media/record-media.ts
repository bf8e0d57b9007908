/**
 * recordRunMedia (an addition of this hub): the runner that holds a run reports pictures, tables and the like. An entry
 * has its place at (key, step, index); the same entry again changes nothing, another one at the place replaces it.
 */
import { assertRunsFor, requireCredential } from '../../auth/policy.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { countStored } from '../../work/job-objects.ts'
import { noteStaleReport } from '../lease/sweep-leases.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { findRun, type HeldRun, lockRun, nextStatus } from '../run-row.ts'
import { type GivenMedia, type MediaRow, mediaRowsOf, placeOf } from './judge-media.ts'
import {
  addToMediaKeys,
  type MediaGrowth,
  mediaTotals,
  putMedia,
  recountMediaKeys,
  type StoredMedia,
  storedAt,
} from './media-rows.ts'
import { MAX_MEDIA_KEYS, MAX_RUN_MEDIA } from './media-shape.ts'

export interface RecordMediaInput {
  readonly runId: string
  /** Number of the attempt under which the runner holds the run. */
  readonly attempt?: number | null
  readonly media: readonly GivenMedia[]
}

const outputColumns = columns({
  repoName: column.text.orNull('u.output_repo_name'),
  paths: column.texts(`array(select f.path from files f
    where f.repo_id = u.output_repo_id and f.path = any(:paths::text[]) and f.to_seq is null)`),
})

/** Which of some paths are files of the run's output repo. */
const outputFiles = statement({
  name: 'run-media-files',
  exact: 'in-transaction',
  columns: outputColumns,
  params: { runId: param.text(), paths: param.texts() },
  text: `select ${outputColumns.sql} from runs u where u.id = :runId`,
})

/**
 * Returns the run. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413
 * `too_large`, `quota.storage`, 422 also for a path that is not a file of the run's output repo.
 */
export async function recordRunMedia(ctx: RequestContext, input: RecordMediaInput): Promise<Run> {
  const rows = mediaRowsOf(input.media)
  return guarded(
    ctx,
    () => mayRecord(ctx, input.runId),
    (allowed, found) =>
      record(allowed, found, input, rows).catch((error: unknown) => noteStaleReport(allowed, input, error)),
  )
}

async function mayRecord(ctx: RequestContext, runId: string): Promise<HeldRun> {
  const run = await findRun(ctx, runId)
  assertRunsFor(ctx.viewer, run.ownerId)
  return run
}

function record(
  ctx: AllowedContext,
  found: HeldRun,
  { attempt = null }: RecordMediaInput,
  rows: readonly MediaRow[],
): Promise<Run> {
  const { credentialId } = requireCredential(ctx.viewer)
  return commitVerb(ctx, async (tx) => {
    const run = await lockRun(tx, found.id)
    nextStatus('report', run, { credentialId, attempt })
    await assertFiles(tx, run.id, rows)
    const before = new Map((await storedAt(tx, run.id, rows)).map((entry) => [placeOf(entry), entry]))
    const changed = await putMedia(tx, run.id, rows, run.now)
    if (changed.length > 0) {
      const bytes = await countChanged(tx, run.id, changed, before)
      await countStored(tx, ctx.deps.config, runJob, { id: run.id, ownerId: run.ownerId, bytes })
      tx.afterCommit(() => ctx.deps.events.hint(run.id))
    }
    return readRun(tx, ctx.viewer, run.id)
  })
}

/** 422 for each path that is not a file of the run's output repo. */
async function assertFiles(tx: Tx, runId: string, rows: readonly MediaRow[]): Promise<void> {
  const paths = rows.flatMap(({ path }) => path ?? [])
  if (paths.length === 0) return
  const [output] = await tx.query(outputFiles, { runId, paths })
  const name = output?.repoName ?? null
  const missing = rows.find(({ path }) => path != null && !output?.paths.includes(path))
  if (!missing) return
  const path = JSON.stringify(missing.path)
  const detail =
    name === null
      ? `${path} cannot be found: the run has no output repo yet. Report one as output_model_repo, and upload the file to it.`
      : `${path} is not a file of ${name}, the output repo of the run. Upload it there, then send the entry again.`
  throw invalid('validation.value', detail, ['media', missing.place, 'path'])
}

/** Brings the keys up to date, within their bounds; the bytes that the run has more than before. */
async function countChanged(
  tx: Tx,
  runId: string,
  changed: readonly StoredMedia[],
  before: ReadonlyMap<string, StoredMedia>,
): Promise<number> {
  const was = (entry: StoredMedia) => before.get(placeOf(entry))
  const turned = changed.filter((entry) => (was(entry)?.kind ?? entry.kind) !== entry.kind).map(({ key }) => key)
  const byKey = Map.groupBy(changed, ({ key, kind }) => JSON.stringify([key, kind]))
  const grown = [...byKey.values()].map((entries) => growthOf(entries, was))
  const counted = grown.filter(({ key }) => !turned.includes(key))
  if (counted.length > 0) await addToMediaKeys(tx, runId, counted)
  if (turned.length > 0) await recountMediaKeys(tx, runId, turned)
  const { keys, entries } = await mediaTotals(tx, runId)
  assertRoom('keys', MAX_MEDIA_KEYS, keys)
  assertRoom('entries', MAX_RUN_MEDIA, entries)
  return grown.reduce((sum, { bytes }) => sum + bytes, 0)
}

function growthOf(entries: readonly StoredMedia[], was: (entry: StoredMedia) => StoredMedia | undefined): MediaGrowth {
  const [{ key, kind }] = entries as readonly [StoredMedia]
  return {
    key,
    kind,
    entries: entries.filter((entry) => !was(entry)).length,
    bytes: entries.reduce((sum, entry) => sum + entry.bytes - (was(entry)?.bytes ?? 0), 0),
    lastStep: Math.max(...entries.map(({ step }) => step)),
  }
}

function assertRoom(unit: 'entries' | 'keys', limit: number, used: number): void {
  if (used <= limit) return
  const detail = `A run has at most ${limit} ${unit} of media; log fewer of them, or under fewer keys.`
  throw new HubError('too_large', detail, { facts: { unit, limit, used } })
}
