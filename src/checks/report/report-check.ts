/** reportRobotCheck (spec, "POST /v1/robot-checks/{check_id}/report"): the worker reports log, documents, artifacts and the end of its check. */
import { assertRunsFor, requireCredential } from '../../auth/policy.ts'
import { assertDistinct } from '../../files/duplicates.ts'
import { assertRoom } from '../../files/reservation.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, Credentialed, RequestContext } from '../../operation/context.ts'
import { boundedBytes } from '../../platform/bounded-text.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { isClaimer } from '../../work/held-job.ts'
import { deleteAfterCommit, forgetRefused, putJobObject } from '../../work/job-objects.ts'
import { openLineOf } from '../../work/log/job-log.ts'
import { linesAfter, shapeOf } from '../../work/log/log-lines.ts'
import { appendChunk } from '../../work/log/write-chunks.ts'
import { isStored, withNumber } from '../../work/report-numbers.ts'
import { announceEnd } from '../../work/stop.ts'
import { countStored } from '../../work/stored-bytes.ts'
import { CARD_NAME, isArtifactName } from '../artifacts/artifact-name.ts'
import { keepDigests } from '../artifacts/artifact-rows.ts'
import { readCard, type TakenArtifact, takeArtifacts } from '../artifacts/take-artifacts.ts'
import { checkJob } from '../check-job.ts'
import { findCheck, type HeldCheck, lockCheck, nextStatus } from '../check-row.ts'
import type { Document, RobotCheck } from '../check-shape.ts'
import { endCheck } from '../end/end-check.ts'
import { endOverdueCheck } from '../end/sweep-checks.ts'
import { MAX_LOG_CHUNK_BYTES } from '../limits.ts'
import { checkLog } from '../log/check-log.ts'
import { checkObjects } from '../log/check-objects.ts'
import { readCheck } from '../read/get-check.ts'
import { type DraftedCard, draftedCard } from './drafted-card.ts'
import { assertIntake } from './judge-intake.ts'
import { keepCardFaults } from './keep-card-faults.ts'
import { tailOf } from './log-tail.ts'
import { contradictionIn } from './sound-report.ts'

/** Every member except the id is optional; null counts as absent. Documents have the member names of `/v1`. */
export interface ReportCheckInput {
  readonly checkId: string
  readonly status?: 'succeeded' | 'failed' | null
  readonly logChunk?: string | null
  /** The worker's own number of this report. A report whose number is already stored changes nothing. */
  readonly logSeq?: number | null
  readonly error?: string | null
  readonly report?: Document | null
  readonly draft?: Document | null
  readonly artifacts?: readonly { readonly path: string }[] | null
  readonly engine?: unknown
  readonly intake?: Document | null
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
    chunks: param.int4(),
    lines: param.int4(),
    bytes: param.int4(),
    openFrom: param.int4.orNull(),
    openBytes: param.int4.orNull(),
    tail: param.text(),
    clientLogSeq: param.int8.orNull(),
    clientLogGaps: param.int8s(),
  },
  text: `update robot_checks set status = :status::"JobStatus", heartbeat_at = now(), updated_at = now(),
      finished_at = case when :ended::boolean then now() end, cost_usd = coalesce(:costUsd::numeric, cost_usd),
      error = coalesce(:error, error), report = coalesce(:report::json, report), draft = coalesce(:draft::json, draft),
      engine = coalesce(:engine::json, engine), intake = coalesce(:intake::json, intake), card = coalesce(:card::json, card),
      needs_you = coalesce(:needsYou::json, needs_you), log_seq = log_seq + :chunks::int, log_lines = log_lines + :lines::int,
      log_bytes = log_bytes + :bytes::int, log_open_from = :openFrom, log_open_bytes = :openBytes, log_tail = :tail, client_log_seq = :clientLogSeq, client_log_gaps = :clientLogGaps
    where id = :checkId and status = 'running'`,
})

/**
 * Writes the objects first, then everything else in one transaction under the check's row lock. A report that is already stored, by the worker's own number,
 * changes nothing. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413 for a log chunk that is too large or an
 * exceeded storage quota, 422, 503.
 */
export function reportCheck(ctx: RequestContext, input: ReportCheckInput): Promise<RobotCheck> {
  return guarded(
    ctx,
    () => mayReport(ctx, input.checkId),
    (allowed, check) => store(allowed, check, input),
  )
}

async function mayReport(ctx: RequestContext, checkId: string): Promise<HeldCheck> {
  const check = await findCheck(ctx, checkId)
  assertRunsFor(ctx.viewer, check.ownerId, 'write', 'The check')
  return check
}

const triggers = { succeeded: 'succeed', failed: 'fail' } as const
const triggerOf = ({ status }: ReportCheckInput) => (status ? triggers[status] : 'report')

async function store(ctx: AllowedContext, found: HeldCheck, input: ReportCheckInput): Promise<RobotCheck> {
  const check = (await endOverdueCheck(ctx.deps, found)) ? await findCheck(ctx, found.id) : found
  const viewer = requireCredential(ctx.viewer)
  if (isRepeat(viewer, check, input)) return commitVerb(ctx, (tx) => readCheck(tx, ctx.viewer, check.id))
  nextStatus(triggerOf(input), check, viewer)
  const log = boundedBytes(input.logChunk ?? '', MAX_LOG_CHUNK_BYTES, ['logChunk'])
  assertSound(check, input)
  if (input.intake) await assertIntake(ctx.deps.db, check.robotRepoId, input.intake)
  const names = (input.artifacts ?? []).map(({ path }) => path)
  const taken = await takeArtifacts(ctx, check.id, names)
  const at = names.indexOf(CARD_NAME)
  const loc = ['artifacts', at, 'path']
  const card = taken[at] ? draftedCard(await readCard(ctx, taken[at], loc), loc) : null
  await assertRoom(ctx.deps.db, ctx.deps.config, check.ownerId, { bytes: log.byteLength, uploads: 0 })
  const kept = log.byteLength > 0 ? [await putJobObject(ctx.deps, checkObjects.logs, check.id, log, ctx.signal)] : []
  try {
    return await commitVerb(ctx, async (tx) => {
      await write(ctx, tx, input, { taken, card, log, logKey: kept[0] ?? null })
      return readCheck(tx, ctx.viewer, check.id)
    })
  } catch (error) {
    await forgetRefused(ctx, kept, error)
    throw error
  }
}

/** Checks of a report that need no object store. */
function assertSound(check: HeldCheck, { status, artifacts, intake, report }: ReportCheckInput): void {
  const names = (artifacts ?? []).map(({ path }) => path)
  assertDistinct(names, 'artifact', (index) => ['artifacts', index, 'path'])
  const strange = names.findIndex((name) => !isArtifactName(name, check))
  if (strange >= 0)
    throw invalid('validation.value', `${JSON.stringify(names[strange])} is not an artifact of such a check.`, [
      'artifacts',
      strange,
      'path',
    ])
  const contradiction = report ? contradictionIn(report) : null
  if (contradiction !== null) throw invalid('validation.value', contradiction, ['report', 'ok'])
  if (intake && check.kind === 'robot')
    throw invalid('validation.value', 'is for a model check; leave it out', ['intake'])
  if (!intake && check.kind === 'model' && status === 'succeeded')
    throw invalid('validation.required', 'is required with `succeeded` for a model check', ['intake'])
}

interface Stored {
  readonly taken: readonly TakenArtifact[]
  readonly card: DraftedCard | null
  readonly log: Uint8Array
  readonly logKey: string | null
}

async function write(ctx: RequestContext, tx: Tx, input: ReportCheckInput, stored: Stored): Promise<void> {
  const check = await lockCheck(tx, input.checkId)
  const viewer = requireCredential(ctx.viewer)
  // A concurrent duplicate was stored first, so no row refers to the object of this report.
  if (isRepeat(viewer, check, input)) return deleteAfterCommit(ctx.deps, tx, [stored.logKey])
  const to = nextStatus(triggerOf(input), check, viewer)
  if ((await keepDigests(tx, check.id, stored.taken)) !== stored.taken.length)
    throw new HubError(
      'conflict.in_progress',
      'An artifact was presigned a second time while this report was processed; send the report again.',
    )
  const before = openLineOf(check)
  const lines = stored.logKey === null ? null : linesAfter(before, check.logSeq + 1, shapeOf(stored.log))
  const open = lines ? lines.open : before
  if (lines) {
    await appendChunk(tx, checkLog, {
      jobId: check.id,
      seq: check.logSeq + 1,
      attempt: check.attempt,
      storageKey: stored.logKey,
      byteCount: stored.log.byteLength,
      lineCount: lines.lineCount,
      firstLine: check.logLines,
      lineFrom: lines.lineFrom,
      at: check.now,
    })
  }
  const ended = input.status != null
  const costUsd = ended ? await endCheck(ctx.deps, tx, check, to === 'succeeded') : null
  await tx.query(update, {
    checkId: check.id,
    status: to,
    ended,
    costUsd,
    error: input.error ?? null,
    ...documentsOf(check, input, stored.card),
    chunks: lines ? 1 : 0,
    lines: lines?.lineCount ?? 0,
    bytes: stored.log.byteLength,
    openFrom: open?.from ?? null,
    openBytes: open?.bytes ?? null,
    tail: tailOf(check.logTail, input.logChunk ?? ''),
    ...numbersAfter(check, input),
  })
  if (ended) announceEnd(tx, checkJob, to)
  if (to === 'succeeded') await keepCardFaults(tx, check.id)
  await countStored(tx, ctx.deps.config, checkJob, check, stored.log.byteLength)
  if (ended) {
    const change = { before: { status: check.status }, after: { status: to } }
    await audit(tx, ctx, { action: 'robot_check.finish', accountId: check.ownerId, targetId: check.id, ...change })
  }
  tx.afterCommit(() => ctx.deps.events.hint(check.id))
}

const numbersOf = (check: HeldCheck) => ({ last: check.clientLogSeq, gaps: check.clientLogGaps })

/**
 * Whether the report is a duplicate. Reports are stored as a whole, so a stored number means a stored report. A duplicate of the report that ended the check
 * is accepted too, so that a worker that lost the response can retry; after any other end, a report is refused.
 */
function isRepeat(viewer: Credentialed, check: HeldCheck, { status = null, logSeq = null }: ReportCheckInput): boolean {
  if (logSeq === null || !isClaimer(check, viewer)) return false
  return (check.status === 'running' || check.status === status) && isStored(numbersOf(check), logSeq)
}

function numbersAfter(check: HeldCheck, { logSeq = null }: ReportCheckInput) {
  const { last, gaps } = logSeq === null ? numbersOf(check) : withNumber(numbersOf(check), logSeq)
  return { clientLogSeq: last, clientLogGaps: gaps }
}

/** Of the `robot_card.json` of a model check, only `needs_you` is stored. */
function documentsOf(
  { kind }: HeldCheck,
  { report, draft, engine, intake }: ReportCheckInput,
  card: DraftedCard | null,
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
