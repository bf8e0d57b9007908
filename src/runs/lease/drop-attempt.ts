/**
 * What a lost attempt left is taken back. Its metrics are hidden, never deleted: numbers of metrics rows are not given out twice, and followers may have seen
 * them.
 */
import type { Deps } from '../../operation/context.ts'
import type { Statement, Tx } from '../../store/db.ts'
import { deleteAfterCommit } from '../../work/job-objects.ts'
import type { RewardCurve } from '../read/sparkline.ts'
import { giveBackArtifacts } from '../report/run-storage.ts'

/** A run of millions of lines takes longer than a statement usually may; a run that could not be swept would stay claimed by a dead worker forever. */
const takeTime: Statement<never> = { name: '', text: `set local statement_timeout = '10min'` }

/** Lines without a step go with those around them. */
const hide: Statement<never> = {
  name: 'run-metrics-hide',
  text: `update run_metrics m set hidden = true where m.run_id = $1 and not m.hidden and ($2::float8 is null or m.step > $2 or (m.step is null
    and m.seq > coalesce((select max(k.seq) from run_metrics k where k.run_id = $1 and not k.hidden and k.step <= $2), 0)))`,
}

/** A tripwire looks at the checkpoints of this training alone. */
const ungate: Statement<never> = {
  name: 'run-gate-results-drop',
  text: 'delete from run_gate_results where run_id = $1 and ($2::float8 is null or step > $2)',
}

interface Left {
  readonly curve: RewardCurve | null
  readonly configKey: string | null
  readonly scorecardKey: string | null
}

const leftOf: Statement<Left> = {
  name: 'run-attempt-left',
  text: 'select reward_curve as curve, config_key as "configKey", scorecard_key as "scorecardKey" from runs where id = $1',
}

const forget: Statement<never> = {
  name: 'run-metrics-forget',
  text: `update runs set reward_curve = $2::jsonb, pace = null, progress = null, progress_at = null, peak_vram_gb = null, samples_per_s = null,
      gpu_tier = null, error = null, gates = null, gate_passed = null, gate_total = null, scorecard_key = null, config_key = $3,
      client_log_seq = null, client_log_gaps = '{}', client_metrics_seq = null, client_metrics_gaps = '{}',
      latest_metrics = (select m.line from run_metrics m where m.run_id = $1 and not m.hidden order by m.seq desc limit 1)
    where id = $1`,
}

/** The part of a kept curve up to a step. */
function cutCurve(curve: RewardCurve | null, step: number | null): RewardCurve | null {
  if (curve === null || step === null) return null
  const { tail: _tail, ...kept } = curve
  const points = curve.points.filter(([at]) => at <= step)
  return points.length === 0 ? null : { ...kept, points }
}

/**
 * Hides a run's metrics past `resumeStep` (null: all of them), and takes away what was read off them, what the attempt said of its end, and the gates of
 * checkpoints past it. The config stays for an attempt that resumes. The caller holds the lock of the run's row; a new attempt counts its own reports from
 * the beginning.
 */
export async function dropAttempt(
  deps: Pick<Deps, 'objects' | 'log'>,
  tx: Tx,
  runId: string,
  resumeStep: number | null,
): Promise<void> {
  await tx.query(takeTime)
  await tx.query(hide, [runId, resumeStep])
  await tx.query(ungate, [runId, resumeStep])
  const [left] = await tx.query(leftOf, [runId])
  if (!left) return
  const curve = cutCurve(left.curve, resumeStep)
  const config = resumeStep === null ? null : left.configKey
  await tx.query(forget, [runId, curve === null ? null : JSON.stringify(curve), config])
  await giveBackArtifacts(tx, runId, config === null)
  deleteAfterCommit(deps, tx, [left.scorecardKey, config === null ? left.configKey : null])
}
