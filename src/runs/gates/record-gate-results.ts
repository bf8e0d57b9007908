/**
 * recordGateResults (an addition of this hub; spec, "CheckpointGateSpec"): the runner that holds a run reports the
 * results of gating its checkpoints. A tripwire that fires asks the run to stop, like a cancel.
 */

import { assertRunsFor, requireCredential } from '../../auth/policy.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import type { GateTripwire } from '../../planner/recipe/recipe.ts'
import { tripwireMetrics, tripwireOps } from '../../planner/recipe/recipe.ts'
import { invalid, type Loc } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { assign, each, excluded, insertEach, sql } from '../../store/insert.ts'
import { listOf, maybe, number, objectOf, oneOf } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import { addNotice } from '../../work/log/write-chunks.ts'
import { askToStop } from '../../work/stop.ts'
import { noteStaleReport } from '../lease/sweep-leases.ts'
import { runLog } from '../log/run-log.ts'
import { readRun } from '../read/get-run.ts'
import type { Run, RunGateRow } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { findRun, type HeldRun, lockRun, nextStatus } from '../run-row.ts'
import { MAX_GATE_RESULTS, MAX_RESULTS } from './limits.ts'
import { firedTripwire, tripwireNotice } from './tripwires.ts'

/** The results of gating one checkpoint. */
export interface CheckpointResult {
  /** The step of the checkpoint. */
  readonly step: number
  readonly cells: readonly {
    readonly name: string
    readonly status: RunGateRow['status']
    readonly detail?: string | null
  }[]
  readonly seedsRun: number
  readonly seedsAlive: number
  readonly rolloutId?: string | null
}

/** Either `results`, or the members of a single result. */
export interface GateResultsInput extends Absentable<CheckpointResult> {
  readonly runId: string
  /** Number of the attempt under which the runner holds the run. */
  readonly attempt?: number | null
  /** In the order in which the checkpoints were gated. */
  readonly results?: readonly CheckpointResult[] | null
}

type Absentable<T> = { readonly [Key in keyof T]?: T[Key] | null }

const resultRows = insertEach('run_gate_results', {
  runId: param.text(),
  step: each('steps', param.int8s()),
  rows: each('cells', param.texts(), 'json'),
  passCount: each('passed', param.int4s()),
  cellCount: each('counted', param.int4s()),
  aliveCount: each('alive', param.int4s()),
  seedCount: each('seeds', param.int4s()),
  rolloutId: each('rollouts', param.texts<readonly (string | null)[]>()),
})

const replacedResults = assign('run_gate_results', {
  rows: excluded,
  passCount: excluded,
  cellCount: excluded,
  aliveCount: excluded,
  seedCount: excluded,
  rolloutId: excluded,
  at: sql('now()'),
})

/** An upsert, since a runner that got no response repeats its report. */
const putResults = statement({
  name: 'run-gate-results-put',
  params: resultRows.params,
  text: `${resultRows.sql} on conflict (run_id, step) do update set ${replacedResults.sql}`,
})

const gatedCheckpointsColumns = columns({
  step: column.int8('step'),
  passCount: column.int4('pass_count'),
  cellCount: column.int4('cell_count'),
  aliveCount: column.int4('alive_count'),
  seedCount: column.int4('seed_count'),
  rolloutId: column.text.orNull('rollout_id'),
})

const gatedCheckpoints = statement({
  name: 'run-gated-checkpoints',
  exact: 'in-transaction',
  columns: gatedCheckpointsColumns,
  params: { runId: param.text() },
  text: `select ${gatedCheckpointsColumns.sql} from run_gate_results where run_id = :runId
    order by step desc limit ${MAX_GATE_RESULTS + MAX_RESULTS}`,
})

/** With them a run, and each read of its results, would be as large as its runner likes. */
const dropFirst = statement({
  name: 'run-gate-results-drop-first',
  params: { runId: param.text() },
  text: `delete from run_gate_results where run_id = :runId and step <= (select r.step from run_gate_results r
    where r.run_id = :runId order by r.step desc offset ${MAX_GATE_RESULTS} limit 1)`,
})

const readTripwires = listOf(
  objectOf<GateTripwire>({
    metric: oneOf(...tripwireMetrics),
    op: oneOf(...tripwireOps),
    threshold: number,
    from_step: maybe(number),
    consecutive: maybe(number),
  }),
)

const tripwiresColumn = columns({ tripwires: column.json.orNull(`recipe #> '{gate,tripwires}'`, readTripwires) })

const tripwiresOf = statement({
  name: 'run-tripwires',
  exact: 'in-transaction',
  columns: tripwiresColumn,
  params: { runId: param.text() },
  text: `select ${tripwiresColumn.sql} from runs where id = :runId`,
})

/**
 * Returns the run after the change, with `cancelRequestedAt` if a tripwire fired. Errors: 401, 403 if the caller is not
 * of the billed account, 404, 422, 409 `conflict.not_claimer` for a credential that has not claimed the run and for a
 * lost attempt, `conflict.terminal`.
 */
export async function recordGateResults(ctx: RequestContext, input: GateResultsInput): Promise<Run> {
  const results = resultsOf(input)
  return guarded(
    ctx,
    () => mayRecord(ctx, input.runId),
    (allowed, found) =>
      record(allowed, found, input, results).catch((error: unknown) => noteStaleReport(allowed, input, error)),
  )
}

async function mayRecord(ctx: RequestContext, runId: string): Promise<HeldRun> {
  const run = await findRun(ctx, runId)
  assertRunsFor(ctx.viewer, run.ownerId)
  return run
}

/** 422 if the input has both forms of results or neither, or if more seeds were alive than were run. */
function resultsOf({ results, step, cells, seedsRun, seedsAlive, rolloutId }: GateResultsInput): CheckpointResult[] {
  const isSingle = [step, cells, seedsRun, seedsAlive].some((member) => member != null)
  if (results && !isSingle) return results.map((result, at) => counted(result, ['results', at]))
  if (results || step == null || !cells || seedsRun == null || seedsAlive == null) {
    const detail = 'Give either `results`, or the members of a single result.'
    throw invalid('validation.value', detail, ['results'])
  }
  return [counted({ step, cells, seedsRun, seedsAlive, rolloutId }, [])]
}

function counted(result: CheckpointResult, loc: Loc): CheckpointResult {
  if (result.seedsAlive <= result.seedsRun) return result
  throw invalid('validation.value', 'cannot be greater than the number of seeds that ran', [...loc, 'seedsAlive'])
}

function record(
  ctx: AllowedContext,
  found: HeldRun,
  { attempt = null }: GateResultsInput,
  results: readonly CheckpointResult[],
): Promise<Run> {
  const { credentialId } = requireCredential(ctx.viewer)
  return commitVerb(ctx, async (tx) => {
    const run = await lockRun(tx, found.id)
    nextStatus('report', run, { credentialId, attempt })
    await tx.query(putResults, { runId: run.id, ...resultColumns(results) })
    if (run.cancelRequestedAt === null) await stopWhereFired(tx, run.id, results)
    await tx.query(dropFirst, { runId: run.id })
    tx.afterCommit(() => ctx.deps.events.hint(run.id))
    return readRun(tx, ctx.viewer, run.id)
  })
}

/** The columns of `putResults`. If two results are for the same checkpoint, the later one wins. */
function resultColumns(results: readonly CheckpointResult[]) {
  const rows = [...new Map(results.map((result) => [result.step, result])).values()]
  return {
    steps: rows.map(({ step }) => step),
    cells: rows.map(({ cells }) =>
      JSON.stringify(cells.map(({ name, status, detail }) => ({ name, status, detail: detail ?? null }))),
    ),
    passed: rows.map(({ cells }) => cells.filter(({ status }) => status === 'PASS').length),
    counted: rows.map(({ cells }) => cells.length),
    alive: rows.map(({ seedsAlive }) => seedsAlive),
    seeds: rows.map(({ seedsRun }) => seedsRun),
    rollouts: rows.map(({ rolloutId }) => rolloutId ?? null),
  }
}

/** Checks tripwires after each result in order, so that a batch has the same effect as single results. */
async function stopWhereFired(tx: Tx, runId: string, results: readonly CheckpointResult[]): Promise<void> {
  const [row] = await tx.query(tripwiresOf, { runId })
  if (!row?.tripwires?.length) return
  const gated = await tx.query(gatedCheckpoints, { runId })
  const told = new Set(results.map(({ step }) => step))
  for (const { step } of results) {
    told.delete(step)
    const fired = firedTripwire(
      row.tripwires,
      gated.filter((checkpoint) => !told.has(checkpoint.step)),
    )
    if (!fired) continue
    await askToStop(tx, runJob, runId, 'tripwire')
    return addNotice(tx, runLog, runId, tripwireNotice(fired))
  }
}
