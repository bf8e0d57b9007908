/**
 * Judges a worker's report: where it leads, whether it is new, what it has to store, and whether it agrees with itself
 * and with the hub's data. Spec, reportRobotCheck.
 */
import { isJsonObject } from '@hub/formats/exact-json'
import { z } from 'zod'
import { assertDistinct } from '../../files/duplicates.ts'
import type { RequestContext } from '../../operation/context.ts'
import { invalid, type Loc } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobActor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-state.ts'
import { chunkObject, type LogChunk, readChunk } from '../../work/log/write-chunks.ts'
import type { NewObject, ReportNumber } from '../../work/report.ts'
import { CARD_NAME, isArtifactName } from '../artifacts/artifact-name.ts'
import { readCard, type TakenArtifact, takeArtifacts } from '../artifacts/take-artifacts.ts'
import { type HeldCheck, nextStatus } from '../check-row.ts'
import type { CheckNeed, Document } from '../check-shape.ts'
import { checkObjects } from '../log/check-objects.ts'

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

/** The worker's own number. Reports are stored as a whole, so a stored number means a stored report. */
export function numbersOf(check: HeldCheck, { logSeq = null }: ReportCheckInput): { readonly log: ReportNumber } {
  return { log: { stored: { last: check.clientLogSeq, gaps: check.clientLogGaps }, given: logSeq } }
}

const triggers = { succeeded: 'succeed', failed: 'fail' } as const

/** 409 if another credential claimed the check, or the check has ended. */
export function nextOf(check: HeldCheck, { status }: ReportCheckInput, actor: JobActor): JobStatus {
  return nextStatus(status ? triggers[status] : 'report', check, actor)
}

export interface ReadCheckReport {
  readonly objects: { readonly log: NewObject | null }
  readonly addedBytes: number
  readonly chunk: LogChunk | null
  readonly taken: readonly TakenArtifact[]
  readonly card: DraftedCard | null
}

/** Completes and hashes the artifacts that the report names. Errors: 413, 422, 409 `conflict.in_progress`, 503. */
export async function readReport(
  ctx: RequestContext,
  check: HeldCheck,
  input: ReportCheckInput,
): Promise<ReadCheckReport> {
  const chunk = readChunk(input.logChunk)
  assertSound(check, input)
  if (input.intake) await assertIntake(ctx.deps.db, check.robotRepoId, input.intake)
  const names = (input.artifacts ?? []).map(({ path }) => path)
  const taken = await takeArtifacts(ctx, check.id, names)
  const at = names.indexOf(CARD_NAME)
  const loc = ['artifacts', at, 'path']
  const card = taken[at] ? draftedCard(await readCard(ctx, taken[at], loc), loc) : null
  const log = chunkObject(chunk, checkObjects.logs)
  return { objects: { log }, addedBytes: chunk?.bytes.byteLength ?? 0, chunk, taken, card }
}

/** Checks of a report that need neither the database nor the object store. */
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

/**
 * Why an `ok` of true contradicts the rest of a validation report; null if it does not. Publishing trusts `ok`, so it
 * must agree with the report's checks. Spec, `RobotValidationReport`: `ok` is true when no check failed.
 */
function contradictionIn({ ok, grade, checks }: Document): string | null {
  if (ok !== true) return null
  const failed = (Array.isArray(checks) ? checks : []).find((check) => isJsonObject(check) && check.status === 'fail')
  if (failed) return `is true although the check ${JSON.stringify(failed.code)} failed`
  return grade === 'fail' ? 'is true although the grade is fail' : null
}

const known = columns({ fingerprint: column.text.orNull('interface_fingerprint') })
const robotFingerprint = statement({
  name: 'robot-check-robot-fingerprint',
  exact: 'each-request',
  columns: known,
  params: { robotRepoId: param.text() },
  text: `select ${known.sql} from robot_cards where repo_id = :robotRepoId`,
})

/**
 * 422 for a `match` whose fingerprints differ from that of the robot's current card, or without a robot that could
 * match.
 */
async function assertIntake(querier: Querier, robotRepoId: string | null, intake: Document): Promise<void> {
  if (intake.embodiment !== 'match') return
  const [robot] = robotRepoId === null ? [] : await querier.query(robotFingerprint, { robotRepoId })
  const fingerprint = robot?.fingerprint ?? null
  if (fingerprint === null)
    throw invalid('validation.value', 'There is no robot with an interface that the policy could match.', [
      'intake',
      'embodiment',
    ])
  for (const [member, place] of [
    ['embodiment_fingerprint', 'embodimentFingerprint'],
    ['robot_fingerprint', 'robotFingerprint'],
  ] as const) {
    if (intake[member] === fingerprint || (member === 'robot_fingerprint' && intake[member] == null)) continue
    throw invalid('validation.value', `is not ${fingerprint}, the fingerprint of the robot's interface`, [
      'intake',
      place,
    ])
  }
}

const needs = z
  .array(
    z.strictObject({
      field: z.string().min(1).max(256),
      severity: z.enum(['blocking', 'advice']),
      why: z.string().max(4000),
      names: z.array(z.string().max(1024)).max(1000).default([]),
      suggestion: z.string().max(4000).nullable().default(null),
    }),
  )
  .max(1000)

/** `robot_card.json` of a check: the card, and its `needs_you`. */
export interface DraftedCard {
  readonly card: Document
  readonly needsYou: readonly CheckNeed[]
}

/** 422 at `loc` for a malformed `needs_you`; the card itself is judged when it is published. */
function draftedCard({ needs_you: given, ...card }: Document, loc: Loc): DraftedCard {
  const read = needs.safeParse(given ?? [])
  if (read.success) return { card, needsYou: read.data }
  const issue = read.error.issues[0]
  throw invalid('validation.value', `robot_card.json: needs_you.${issue?.path.join('.')}: ${issue?.message}`, loc)
}
