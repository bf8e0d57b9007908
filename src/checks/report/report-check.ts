/**
 * reportRobotCheck (spec, "POST /v1/robot-checks/{check_id}/report"): the worker reports log, documents, artifacts and
 * the end of its check.
 */
import { assertRunsFor } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { countStored } from '../../work/job-objects.ts'
import { appendChunk, logEndParams, logEndSql } from '../../work/log/write-chunks.ts'
import { numberAfter, type ReportKind, type ReportToApply, reportJob } from '../../work/report.ts'
import { recordFinish } from '../../work/stop.ts'
import { keepDigests } from '../artifacts/artifact-rows.ts'
import { checkJob } from '../check-job.ts'
import { findCheck, type HeldCheck, lockCheck } from '../check-row.ts'
import type { RobotCheck } from '../check-shape.ts'
import { settleCheck } from '../end/settle-check.ts'
import { endOverdueCheck } from '../end/sweep-checks.ts'
import { MAX_LOG_TAIL_BYTES } from '../limits.ts'
import { checkLog } from '../log/check-log.ts'
import { cardFaults } from '../publish/known-refusals.ts'
import { readPublishable } from '../publish/publishable.ts'
import { readCheck } from '../read/get-check.ts'
import { nextOf, numbersOf, type ReadCheckReport, type ReportCheckInput, readReport } from './judge-report.ts'

const checkReport: ReportKind<ReportCheckInput, HeldCheck, HeldCheck, 'log', ReadCheckReport, RobotCheck> = {
  async find(ctx, { checkId }) {
    const check = await findCheck(ctx, checkId)
    assertRunsFor(ctx.viewer, check.ownerId, 'write', 'The check')
    return check
  },
  endOverdue: endOverdueCheck,
  numbersOf,
  next: nextOf,
  read: readReport,
  lock: (tx, { checkId }) => lockCheck(tx, checkId),
  apply: applyReport,
  show: readCheck,
}

/**
 * Returns the check. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413
 * for a log chunk that is too large or an exceeded storage quota, 422, 503.
 */
export function reportCheck(ctx: RequestContext, input: ReportCheckInput): Promise<RobotCheck> {
  return reportJob(ctx, checkReport, input)
}

const update = statement({
  name: 'robot-check-report',
  params: {
    checkId: param.text(),
    status: param.enum('JobStatus'),
    ended: param.bool(),
    costUsd: param.numeric.orNull<Usd>(),
    error: param.text.orNull(),
    report: param.json.orNull(),
    draft: param.json.orNull(),
    engine: param.json.orNull(),
    intake: param.json.orNull(),
    card: param.json.orNull(),
    needsYou: param.json.orNull(),
    ...logEndParams,
    tail: param.text(),
    clientLogSeq: param.int8.orNull(),
    clientLogGaps: param.int8s(),
  },
  text: `update robot_checks set status = :status::"JobStatus", heartbeat_at = now(), updated_at = now(),
      finished_at = case when :ended::boolean then now() end, cost_usd = coalesce(:costUsd::numeric, cost_usd),
      error = coalesce(:error, error), report = coalesce(:report::json, report), draft = coalesce(:draft::json, draft),
      engine = coalesce(:engine::json, engine), intake = coalesce(:intake::json, intake),
        card = coalesce(:card::json, card),
      needs_you = coalesce(:needsYou::json, needs_you), ${logEndSql}, log_tail = :tail,
      client_log_seq = :clientLogSeq, client_log_gaps = :clientLogGaps
    where id = :checkId and status = 'running'`,
})

/** Writes artifacts, log, documents and the check's columns; a report of an end also settles the check. */
async function applyReport(
  ctx: RequestContext,
  tx: Tx,
  { input, job: check, to, read, keys }: ReportToApply<ReportCheckInput, HeldCheck, 'log', ReadCheckReport>,
): Promise<void> {
  const { chunk, taken } = read
  if ((await keepDigests(tx, check.id, taken)) !== taken.length)
    throw new HubError(
      'conflict.in_progress',
      'An artifact was presigned a second time while this report was processed; send the report again.',
    )
  const logEnd = appendChunk(tx, checkLog, check, { chunk, storageKey: keys.log })
  const ended = input.status != null
  const costUsd = ended ? await settleCheck(ctx.deps, tx, check, to === 'succeeded') : null
  const { last: clientLogSeq, gaps: clientLogGaps } = numberAfter(numbersOf(check, input).log)
  await tx.query(update, {
    checkId: check.id,
    status: to,
    ended,
    costUsd,
    error: input.error ?? null,
    ...documentsOf(check, input, read),
    ...logEnd,
    tail: tailOf(check.logTail, input.logChunk ?? ''),
    clientLogSeq,
    clientLogGaps,
  })
  if (to === 'succeeded') await keepCardFaults(tx, check.id)
  const ofCheck = { id: check.id, ownerId: check.ownerId }
  await countStored(tx, ctx.deps.config, checkJob, { ...ofCheck, bytes: read.addedBytes })
  const change = { before: { status: check.status }, after: { status: to } }
  if (ended) await recordFinish(ctx, tx, checkJob, { ...ofCheck, ...change })
}

/** Of the `robot_card.json` of a model check, only `needs_you` is stored. */
function documentsOf(
  { kind }: HeldCheck,
  { report, draft, engine, intake }: ReportCheckInput,
  { card }: ReadCheckReport,
) {
  const json = (value: unknown) => (value == null ? null : JSON.stringify(value))
  return {
    report: json(report),
    draft: json(draft),
    engine: json(engine),
    intake: json(intake),
    card: kind === 'robot' ? json(card?.card) : null,
    needsYou: json(card?.needsYou),
  }
}

/**
 * The end of the log that a check shows (spec, `log_tail`): the last 64 KiB of both texts, cut at a character.
 * Characters that PostgreSQL cannot store as text become U+FFFD; the log itself keeps them.
 */
function tailOf(tail: string, chunk: string): string {
  const text = `${tail}${chunk}`.toWellFormed().replaceAll('\0', '\uFFFD')
  const bytes = Buffer.from(text)
  if (bytes.byteLength <= MAX_LOG_TAIL_BYTES) return text
  let from = bytes.byteLength - MAX_LOG_TAIL_BYTES
  // Bytes 10xxxxxx continue a character.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return bytes.subarray(from).toString('utf8')
}

const keepFaults = statement({
  name: 'robot-check-keep-card-faults',
  params: { checkId: param.text(), faults: param.json() },
  text: 'update robot_checks set card_faults = :faults::json where id = :checkId',
})

/**
 * Stores the faults of a card that do not depend on its model, once, so that reads need not compute them. Runs in the
 * transaction that ends the check, after its last documents and artifacts were written. Any report may have sent these.
 */
async function keepCardFaults(tx: Tx, checkId: string): Promise<void> {
  const row = await readPublishable(tx, checkId)
  const faults = cardFaults({ ...row, card: row.card?.value ?? null })
  if (faults) await tx.query(keepFaults, { checkId, faults: JSON.stringify(faults) })
}
