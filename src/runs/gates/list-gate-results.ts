/** What gating the checkpoints of runs has found so far, for the graph: of any number of runs in one statement. */
import type { RequestContext } from '../../operation/context.ts'
import type { Statement } from '../../store/db.ts'
import type { RunGateRow } from '../read/run-shape.ts'
import type { GatedCheckpoint } from './tripwires.ts'

export interface GateResult extends GatedCheckpoint {
  readonly cells: readonly RunGateRow[]
  readonly at: string
}

const resultsOfRuns: Statement<GateResult & { readonly runId: string }> = {
  name: 'run-gate-results',
  text: `select run_id as "runId", step, rows as cells, pass_count as "passCount", cell_count as "cellCount", alive_count as "aliveCount",
      seed_count as "seedCount", rollout_id as "rolloutId", at
    from run_gate_results where run_id = any($1::text[]) order by run_id, step`,
}

/** Of runs that the caller has been found to see, in the order asked; oldest step first. */
export async function listGateResults(
  ctx: Pick<RequestContext, 'deps'>,
  runIds: readonly string[],
): Promise<readonly GateResult[][]> {
  const rows = await ctx.deps.db.query(resultsOfRuns, [[...runIds]])
  const byRun = Map.groupBy(rows, ({ runId }) => runId)
  return runIds.map((id) => byRun.get(id) ?? [])
}
