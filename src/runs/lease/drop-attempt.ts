/**
 * Rolls back a lost attempt. Its metrics are hidden, never deleted: sequence numbers are not reused, and followers may
 * have seen them.
 */

import type { Deps } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { deleteAfterCommit } from '../../work/job-objects.ts'
import { dropMedia } from '../media/media-rows.ts'
import type { RewardCurve } from '../read/sparkline.ts'
import { readCurve } from '../read/sparkline.ts'
import { releaseArtifacts } from '../report/run-storage.ts'
import { countAgain } from '../summary/keep-summaries.ts'

/** `step`: where the next attempt resumes; null means from the start. */
const upToStep = { runId: param.text(), step: param.float8.orNull() }

/**
 * A run may have millions of lines, and one that cannot be swept would stay claimed by a dead worker forever: so many
 * are hidden by each statement, which takes seconds, since one of 30 s is ended.
 */
const HIDDEN_AT_ONCE = 200_000

/** The last line, and the last one that is kept: lines without a step are treated like their neighbors. */
const reach = columns({
  lastSeq: column.int8('coalesce((select max(l.seq) from run_metrics l where l.run_id = u.id), 0)'),
  keptSeq: column.int8(`coalesce((select max(k.seq) from run_metrics k where k.run_id = u.id and not k.hidden
    and k.step <= :step::float8), 0)`),
})
const reachOf = statement({
  name: 'run-metrics-reach',
  exact: 'in-transaction',
  columns: reach,
  params: upToStep,
  text: `select ${reach.sql} from runs u where u.id = :runId`,
})

const hide = statement({
  name: 'run-metrics-hide',
  params: { ...upToStep, keptSeq: param.int8(), after: param.int8(), upTo: param.int8() },
  text: `update run_metrics set hidden = true
    where run_id = :runId and seq > :after and seq <= :upTo and not hidden
      and (:step::float8 is null or step > :step or (step is null and seq > :keptSeq))`,
})

/** Hides the lines past a step, `atOnce` of them looked at by each statement. */
export async function hideLines(tx: Tx, runId: string, step: number | null, atOnce = HIDDEN_AT_ONCE): Promise<void> {
  const [run] = await tx.query(reachOf, { runId, step })
  if (!run) return
  const { lastSeq, keptSeq } = run
  for (let after = 0; after < lastSeq; after += atOnce)
    await tx.query(hide, { runId, step, keptSeq, after, upTo: after + atOnce })
}

/** Tripwires consider only checkpoints of the current training. */
const ungate = statement({
  name: 'run-gate-results-drop',
  params: upToStep,
  text: 'delete from run_gate_results where run_id = :runId and (:step::float8 is null or step > :step)',
})

/** The values that the lost attempt left; the curve has the form in which reports store it. */
const left = columns({
  curve: column.jsonb.orNull('reward_curve', readCurve),
  configKey: column.text.orNull('config_key'),
  scorecardKey: column.text.orNull('scorecard_key'),
})
const leftOf = statement({
  name: 'run-attempt-left',
  exact: 'in-transaction',
  columns: left,
  params: { runId: param.text() },
  text: `select ${left.sql} from runs where id = :runId`,
})

const forget = statement({
  name: 'run-metrics-forget',
  params: { runId: param.text(), curve: param.jsonb.orNull(), configKey: param.text.orNull() },
  text: `update runs set reward_curve = :curve::jsonb, pace = null, progress = null, progress_at = null,
    peak_vram_gb = null, samples_per_s = null,
      gpu_tier = null, error = null, gates = null, gate_passed = null, gate_total = null, scorecard_key = null,
        config_key = :configKey,
      client_log_seq = null, client_log_gaps = '{}', client_metrics_seq = null, client_metrics_gaps = '{}',
      latest_metrics = (select m.line from run_metrics m where m.run_id = :runId and not m.hidden
        order by m.seq desc limit 1)
    where id = :runId`,
})

/** The part of a stored curve up to a step. */
function cutCurve(curve: RewardCurve | null, step: number | null): RewardCurve | null {
  if (curve === null || step === null) return null
  const { tail: _tail, ...kept } = curve
  const points = curve.points.filter(([at]) => at <= step)
  return points.length === 0 ? null : { ...kept, points }
}

/**
 * Hides a run's metrics past `resumeStep` (null: all), and clears values derived from them, the attempt's final
 * results, and gate results and media of later steps. Keeps the config for an attempt that resumes. The caller must
 * hold the run's row lock; a new attempt numbers its reports from the start.
 */
export async function dropAttempt(
  deps: Pick<Deps, 'db' | 'objects' | 'log'>,
  tx: Tx,
  runId: string,
  resumeStep: number | null,
): Promise<void> {
  await hideLines(tx, runId, resumeStep)
  await countAgain(tx, runId, resumeStep === null)
  await tx.query(ungate, { runId, step: resumeStep })
  const [before] = await tx.query(leftOf, { runId })
  if (!before) return
  const curve = cutCurve(before.curve, resumeStep)
  const configKey = resumeStep === null ? null : before.configKey
  await tx.query(forget, { runId, curve: curve && JSON.stringify(curve), configKey })
  await releaseArtifacts(tx, runId, configKey === null)
  await dropMedia(tx, runId, resumeStep)
  deleteAfterCommit(deps, tx, [before.scorecardKey, configKey === null ? before.configKey : null])
}
