/**
 * Common steps at the end of a claimed run, and what a success writes: the meta block of the model that it made, and
 * what it measured.
 */
import { releaseSpend } from '../../billing/reservations.ts'
import { audit } from '../../operation/audit.ts'
import type { Deps, RequestContext } from '../../operation/context.ts'
import { resolveInputs } from '../../planner/inputs.ts'
import { observedOf } from '../../planner/observed.ts'
import { findTemplate, hasFigures } from '../../planner/templates.ts'
import type { Config } from '../../platform/config.ts'
import type { Usd } from '../../platform/money.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import { touchRepo } from '../../repos/put-meta.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { chargeJob } from '../../work/meter.ts'
import { type AttemptEnd, endAttempt } from '../claim/attempts.ts'
import { readPace } from '../read/pace.ts'
import { progressOf, readProgress } from '../read/progress.ts'
import type { LockedRun } from '../report/report-rows.ts'
import type { HeldRun } from '../run-row.ts'

/**
 * Closes the attempt, bills it, releases its reservation and enqueues the metrics file, in the transaction that ends
 * the run; returns the cost of the run.
 */
export async function settleRun({ queue }: Pick<Deps, 'queue'>, tx: Tx, run: HeldRun, how: AttemptEnd): Promise<Usd> {
  await endAttempt(tx, run, how)
  if (run.priced) await releaseSpend(tx, run.id)
  await queue.send(tx, 'run-metrics-file', { runId: run.id })
  return chargeJob(tx, run, { jobKind: 'run', kind: 'gpu', tier: run.priced ? run.gpuType : null })
}

const stampedColumn = columns({ policyType: column.text('policy_type') })

const modelMetaRow = insertInto('model_meta', {
  repoId: param.text(),
  policyType: param.text(),
  sourceRunId: param.text(),
  robot: param.text.orNull(),
  robotRepoId: param.text.orNull(),
  controlClass: param.enum.orNull('ControlClass'),
})

const stampMeta = statement({
  name: 'model-meta-stamp',
  columns: stampedColumn,
  params: modelMetaRow.params,
  text: `${modelMetaRow.sql} on conflict (repo_id) do nothing returning ${stampedColumn.sql}`,
})

/**
 * Writes the model's meta block if it has none: template, source run and robot. The caller holds the repo's row lock.
 */
export async function stampOutput(ctx: RequestContext, tx: Tx, run: LockedRun, repo: RepoFacts): Promise<void> {
  const { extraTemplates } = ctx.deps.config.runs
  const template = findTemplate(run.template, extraTemplates)
  const controlClass = template && hasFigures(template) ? template.controlClass : null
  const [stamped] = await tx.query(stampMeta, {
    repoId: repo.id,
    policyType: run.template,
    sourceRunId: run.id,
    robot: run.robot,
    robotRepoId: run.robotRepoId,
    controlClass,
  })
  if (!stamped) return
  await tx.query(touchRepo, { id: repo.id })
  const after = { ...stamped, sourceRunId: run.id, robot: run.robot, controlClass }
  await audit(tx, ctx, { action: 'repo.meta', accountId: repo.ownerId, targetId: repo.id, after })
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
}

const meanParams = {
  template: param.text(),
  tier: param.text(),
  batch: param.int4(),
  peakVramGb: param.float8(),
  samplesPerS: param.float8(),
}

/** One statement: concurrent reports cannot lose each other's run. */
const rollingSql = `do update set n_runs = m.n_runs + 1, updated_at = now(),
      peak_vram_gb = m.peak_vram_gb + (excluded.peak_vram_gb - m.peak_vram_gb) / (m.n_runs + 1),
      samples_per_s = m.samples_per_s + (excluded.samples_per_s - m.samples_per_s) / (m.n_runs + 1)`

const accountMeasurementRow = insertInto('account_measurements as m', {
  accountId: param.text(),
  ...meanParams,
  nRuns: 1,
})

const addOfAccount = statement({
  name: 'account-measurement-add',
  params: accountMeasurementRow.params,
  text: `${accountMeasurementRow.sql} on conflict (account_id, template, tier, batch) ${rollingSql}`,
})

const hubMeasurementRow = insertInto('hub_measurements as m', { ...meanParams, nRuns: 1 })

const addOfHub = statement({
  name: 'hub-measurement-add',
  params: hubMeasurementRow.params,
  text: `${hubMeasurementRow.sql} on conflict (template, tier, batch) ${rollingSql}`,
})

/** Progress as the end left it, and the seconds of the claim by the hub's clock. */
const endColumns = columns({
  progress: column.jsonb.orNull('u.progress', readProgress),
  progressAt: column.timestamptz.orNull('u.progress_at'),
  pace: column.jsonb.orNull('u.pace', readPace),
  seconds: column.float8.orNull('extract(epoch from u.finished_at - u.claimed_at)::float8'),
})
const endOfRun = statement({
  name: 'run-measured-end',
  exact: 'in-transaction',
  columns: endColumns,
  params: { id: param.text() },
  text: `select ${endColumns.sql} from runs u where u.id = :id`,
})

/** What the report of the end has; what it does not is as an earlier report left it. */
interface MeasuredValues {
  readonly peakVramGb?: number | null
  readonly samplesPerS?: number | null
  readonly gpuTier?: string | null
}

/**
 * What no machine reaches. Between the two a mean neither overflows nor becomes 0, and neither does an estimate made
 * from it.
 */
const [LEAST, MOST] = [1e-9, 1e15]
const isNumber = (value: number | null): value is number => value !== null && value >= LEAST && value <= MOST

/**
 * Adds what a succeeded run measured to the rolling means of its template, tier and batch size: to those of its
 * account, and of a hosted run what the hub observed to those for everyone. Spec, recommendRun; contract, "Reports".
 *
 * Adds both numbers, if both were reported and the hub knows the template and the tier: a tier that only a worker names
 * is not reliable. The run has ended in this transaction. Lock order: accounts, then the rows of the means; nothing is
 * locked after them.
 */
export async function addMeasurements(tx: Tx, config: Config, run: LockedRun, reported: MeasuredValues): Promise<void> {
  const reportedTier = reported.gpuTier ?? run.gpuTier
  const tier = reportedTier ?? run.gpuType
  const template = findTemplate(run.template, config.runs.extraTemplates)
  if (!template || tier === null || !config.tiers.some((known) => known.tier === tier)) return
  const peakVramGb = reported.peakVramGb ?? run.peakVramGb
  const samplesPerS = reported.samplesPerS ?? run.samplesPerS
  if (!isNumber(peakVramGb) || !isNumber(samplesPerS)) return
  const { inputs } = resolveInputs(template, run.recipe, null)
  const key = { template: run.template, tier, batch: inputs.batchSize }
  await tx.query(addOfAccount, { ...key, accountId: run.ownerId, peakVramGb, samplesPerS })
  if (run.executor !== 'hosted') return
  const end = await readEnd(tx, run)
  const result = {
    template,
    inputs,
    tier: run.gpuType,
    reportedTier,
    peakVramGb,
    samplesPerS,
    ...end,
  }
  const observed = observedOf(result, config.tiers)
  if (observed) await tx.query(addOfHub, { ...key, ...observed })
}

/** How many iterations the run made, and in how many seconds. */
async function readEnd(tx: Tx, run: LockedRun): Promise<{ iterations: number; seconds: number }> {
  const [end] = await tx.query(endOfRun, { id: run.id })
  if (!end) throw new Error('The run was deleted while its row was locked.')
  const { progress: reported, progressAt: reportedAt, pace, seconds } = end
  const startStep = run.recipe.parent_checkpoint_step ?? null
  const progress = progressOf({ reported, reportedAt, pace, startStep, running: false }, run.now)
  return { iterations: (progress?.iteration ?? 0) - (progress?.startIteration ?? 0), seconds: seconds ?? 0 }
}
