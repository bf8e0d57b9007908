/**
 * recordGateResults (an addition of this hub; spec, "CheckpointGateSpec"): what gating one checkpoint of a running run found, told by the runner that holds
 * it. A tripwire that then fires asks the run to stop, as a cancel does.
 */
import { requireCredential } from '../auth/policy.ts'
import type { AllowedContext, RequestContext } from '../context.ts'
import { invalid } from '../errors.ts'
import type { Statement, Tx } from '../store/db.ts'
import { commitVerb, guarded } from '../verb.ts'
import { readRun } from './get-run.ts'
import { addNotice } from './log/log-chunks.ts'
import type { GateTripwire } from './recipe/recipe.ts'
import { findRun, type HeldRun, lockRun, nextStatus } from './run-row.ts'
import type { Run, RunGateRow } from './run-shape.ts'
import { firedTripwire, type GatedCheckpoint, tripwireNotice } from './tripwires.ts'

export interface GateResultsInput {
  readonly runId: string
  /** The attempt that the runner holds the run by. */
  readonly attempt?: number | null
  /** Of the checkpoint. */
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

/** A runner that was not answered tells it again. */
const putResult: Statement<never> = {
  name: 'run-gate-result-put',
  text: `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count, rollout_id)
    values ($1, $2, $3::json, $4, $5, $6, $7, $8)
    on conflict (run_id, step) do update set rows = excluded.rows, pass_count = excluded.pass_count, cell_count = excluded.cell_count,
      alive_count = excluded.alive_count, seed_count = excluded.seed_count, rollout_id = excluded.rollout_id, at = now()`,
}

const gatedCheckpoints: Statement<GatedCheckpoint> = {
  name: 'run-gated-checkpoints',
  text: `select step, pass_count as "passCount", cell_count as "cellCount", alive_count as "aliveCount", seed_count as "seedCount",
      rollout_id as "rolloutId" from run_gate_results where run_id = $1 order by step`,
}

const tripwiresOf: Statement<{ tripwires: readonly GateTripwire[] | null }> = {
  name: 'run-tripwires',
  text: `select recipe #> '{gate,tripwires}' as tripwires from runs where id = $1`,
}

const askToStop: Statement<never> = {
  name: 'run-stop-tripwire',
  text: `update runs set cancel_requested_at = now(), stop_reason = 'tripwire', updated_at = now()
    where id = $1 and status = 'running' and cancel_requested_at is null`,
}

/**
 * The run as it then stands: with `cancelRequestedAt` where a tripwire fired. Errors: 401, 404, 422, 409 `conflict.not_claimer` for anyone but the credential
 * that holds it and for a lost attempt, `conflict.terminal`.
 */
export async function recordGateResults(ctx: RequestContext, input: GateResultsInput): Promise<Run> {
  if (input.seedsAlive > input.seedsRun)
    throw invalid('validation.value', 'cannot be more than were run', ['input', 'seedsAlive'])
  return guarded(
    ctx,
    () => findRun(ctx, input.runId),
    (allowed, found) => record(allowed, found, input),
  )
}

function record(ctx: AllowedContext, found: HeldRun, input: GateResultsInput): Promise<Run> {
  const { credentialId } = requireCredential(ctx.viewer)
  return commitVerb(ctx, async (tx) => {
    const run = await lockRun(tx, found.id)
    nextStatus('report', run, { credentialId, attempt: input.attempt ?? null })
    await tx.query(putResult, resultColumns(input))
    if (run.cancelRequestedAt === null) await stopWhereFired(tx, run.id)
    tx.afterCommit(() => ctx.deps.events.hint(run.id))
    return readRun(tx, ctx.viewer, run.id)
  })
}

function resultColumns({ runId, step, cells, seedsAlive, seedsRun, rolloutId }: GateResultsInput): unknown[] {
  const rows = cells.map(({ name, status, detail }) => ({ name, status, detail: detail ?? null }))
  const passed = cells.filter(({ status }) => status === 'PASS').length
  return [runId, step, JSON.stringify(rows), passed, cells.length, seedsAlive, seedsRun, rolloutId ?? null]
}

async function stopWhereFired(tx: Tx, runId: string): Promise<void> {
  const [row] = await tx.query(tripwiresOf, [runId])
  if (!row?.tripwires?.length) return
  const fired = firedTripwire(row.tripwires, await tx.query(gatedCheckpoints, [runId]))
  if (!fired) return
  await tx.query(askToStop, [runId])
  await addNotice(tx, runId, tripwireNotice(fired))
}
