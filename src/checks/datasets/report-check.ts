/** A worker says how far its check of a data set is, and what it found. Contract, "Checks of data sets". */
import { assertNotJob, requireCredential } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { boundedBytes } from '../../platform/bounded-text.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { findRepoToWrite } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import {
  announceLeased,
  assertHolds,
  endedSql,
  failureOf,
  fenceParams,
  heldSql,
  renewedSql,
} from '../../work/leased-row.ts'
import { checksOfRepos, checkWork, type DatasetCheck, readCheck } from './check-rows.ts'
import { MAX_REPORT_BYTES } from './limits.ts'
import type { DatasetReport } from './report-shape.ts'

export interface ReportDatasetCheckInput {
  readonly owner: string
  readonly repo: string
  /** Of the claim. */
  readonly attempt: number
  /** The end: `succeeded` with `report`, `failed` with `error`; absent while it goes on. */
  readonly status?: 'succeeded' | 'failed' | null
  readonly episodesDone?: number | null
  readonly episodesTotal?: number | null
  readonly report?: DatasetReport | null
  readonly error?: string | null
}

const fenced = { repoId: param.text(), ...fenceParams }
const held = `d.repo_id = :repoId and ${heldSql('d')}`

const told = columns({ repoId: column.text('d.repo_id') })

const goOn = statement({
  name: 'dataset-check-go-on',
  columns: told,
  params: { ...fenced, done: param.int4.orNull(), total: param.int4.orNull() },
  text: `update dataset_checks d set ${renewedSql},
      episodes_done = coalesce(:done::int, episodes_done), episodes_total = coalesce(:total::int, episodes_total)
    where ${held} returning ${told.sql}`,
  rewrites: 'repoId',
})

const end = statement({
  name: 'dataset-check-end',
  columns: told,
  params: {
    ...fenced,
    status: param.enum('JobStatus'),
    done: param.int4.orNull(),
    total: param.int4.orNull(),
    report: param.json.orNull(),
    error: param.text.orNull(),
  },
  text: `update dataset_checks d set status = case when again then 'queued' else :status::"JobStatus" end,
      requested_at = case when again then now() else requested_at end, again = false, ${endedSql}, error = :error,
      episodes_done = coalesce(:done::int, episodes_done), episodes_total = coalesce(:total::int, episodes_total),
      report = coalesce(:report::json, report),
      report_seq = case when :report::json is null then report_seq else seq end,
      report_at = case when :report::json is null then report_at else now() end
    where ${held} returning ${told.sql}`,
})

/**
 * The check afterwards; its lease begins again. Errors: 401, 403, 404, 409 `conflict.not_claimer` for a worker that has
 * lost it, 413 a report over 1 MiB, 422.
 */
export function reportDatasetCheck(ctx: RequestContext, input: ReportDatasetCheckInput): Promise<DatasetCheck> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'report on a check of a data set')
      return repo
    },
    (allowed, repo) => {
      const report = reportText(input)
      return commitVerb(allowed, async (tx) => {
        await write(allowed, tx, repo.id, input, report)
        const check = await readCheck(tx, repo.id)
        if (input.status) await recordEnd(allowed, tx, check, input)
        announceLeased(tx, allowed.deps.events, checkWork, check)
        return check
      })
    },
  )
}

/** One compare-and-set; the lease begins again, or ends. */
async function write(
  ctx: RequestContext,
  tx: Tx,
  repoId: string,
  { status, attempt, error, episodesDone, episodesTotal }: ReportDatasetCheckInput,
  report: string | null,
): Promise<void> {
  const { credentialId } = requireCredential(ctx.viewer)
  const fence = { repoId, attempt, credentialId, done: episodesDone ?? null, total: episodesTotal ?? null }
  const why = status === 'failed' ? failureOf(error) : null
  const [written] = status ? await tx.query(end, { ...fence, status, report, error: why }) : await tx.query(goOn, fence)
  if (written) return
  const [check] = await checksOfRepos(tx, [repoId])
  if (!check) throw new HubError('not_found', 'The data set has no check.')
  assertHolds(ctx, checkWork, check, attempt)
  throw new Error('The check could be reported on, and was not.')
}

/** Null where the check goes on, or failed. Errors: 413, 422. */
function reportText({ status, report }: ReportDatasetCheckInput): string | null {
  if (status === 'succeeded' && report == null)
    throw invalid('validation.required', 'is required with `succeeded`', ['report'])
  if (status !== 'succeeded' && report != null)
    throw invalid('validation.value', 'is only for `succeeded`; leave it out', ['report'])
  if (report == null) return null
  return boundedBytes(JSON.stringify(report), MAX_REPORT_BYTES, ['report']).toString()
}

async function recordEnd(
  ctx: RequestContext,
  tx: Tx,
  { repoId, ownerId, reportSeq }: DatasetCheck,
  { status, attempt, error }: ReportDatasetCheckInput,
): Promise<void> {
  const after = status === 'succeeded' ? { status, attempt, seq: reportSeq } : { status, attempt, error: error ?? null }
  await audit(tx, ctx, { action: 'dataset_check.finish', accountId: ownerId, targetId: repoId, after })
}
