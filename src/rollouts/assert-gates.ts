/** Whether the results of a model's files meet its gates. Contract, "Results of rollouts". */
import { wilson } from '@hub/formats/wilson'
import { repoOwnSql, repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { gateParties, gateRobotSql, isRobotVisibleSql } from './gates.ts'

const pooledColumns = columns({
  /** Null for a robot that the caller does not see, and a model that is not theirs. */
  robot: column.text.orNull(`case when ${isRobotVisibleSql} or ${repoOwnSql('m')} then ${gateRobotSql} end`),
  isRobotVisible: column.bool(isRobotVisibleSql),
  task: column.text('g.task'),
  fingerprint: column.text('g.fingerprint'),
  least: column.float8('g.least'),
  seeds: column.int4('g.seeds'),
  /** Distinct ones of the results that count. */
  ran: column.int8('p.ran'),
  successes: column.int8('p.successes'),
  /** What drew the pictures of one of them; null where none saw pictures. */
  drawnBy: column.text.orNull('p.drawn_by'),
})

type PooledGate = RowOf<typeof pooledColumns>

/** Results `c` that a gate `g` may count: of these files, on its robot, under its conditions, by no agent. */
const countedSql = `c.model_repo_id = g.model_repo_id and c.robot_repo_id = g.robot_repo_id
      and c.fingerprint = g.fingerprint and c.policy_digest = :policyDigest and not c.by_agent`

/**
 * Every seed that was tried counts, once, as failed if it ever failed, whatever drew its pictures: with the best or the
 * newest of many results alone, trying again would be enough. The newest version of the robot that has a result, and
 * the map of joints and the cameras of its newest one, say which results are of the same thing. A model has at most
 * 1000 results of 1000 seeds.
 */
const pooledGates = statement({
  name: 'rollout-gates-pooled',
  exact: 'aggregate',
  columns: pooledColumns,
  params: { ...repoViewer, modelRepoId: param.text(), policyDigest: param.text.orNull() },
  text: `select ${pooledColumns.sql} from ${gateParties}
    left join lateral (select c.robot_seq, c.map_fingerprint, c.cameras from rollouts c where ${countedSql}
      order by c.robot_seq desc, c.id desc limit 1) n on true
    cross join lateral (select count(*) as ran, count(*) filter (where s.success) as successes,
        max(s.drawn_by) as drawn_by from (
      select d.seed, bool_and(d.success) as success, max(c.drawn_by) as drawn_by
      from rollouts c join rollout_outcomes d on d.rollout_id = c.id
      where ${countedSql} and c.robot_seq = n.robot_seq and c.map_fingerprint is not distinct from n.map_fingerprint
        and c.cameras::text is not distinct from n.cameras::text
      group by d.seed) s) p
    where g.model_repo_id = :modelRepoId order by g.task, g.fingerprint, g.robot_repo_id`,
})

/**
 * 409 `conflict.gate_failed` where the results of these files do not meet every gate of the model. `policyDigest`: null
 * for what rollouts do not run. One statement.
 */
export async function assertGates(
  ctx: Pick<RequestContext, 'viewer'> & { readonly querier: { query: RequestContext['deps']['db']['query'] } },
  model: { readonly id: string; readonly fullName: string },
  policyDigest: string | null,
): Promise<void> {
  const given = { ...visibleRepos(ctx.viewer), modelRepoId: model.id, policyDigest }
  const gates = await ctx.querier.query(pooledGates, given)
  const items = gates.filter((gate) => !isMet(gate)).map((gate) => failed(model.fullName, gate, policyDigest !== null))
  if (items.length > 0) throw new HubError('conflict.gate_failed', items[0]?.detail ?? '', { items })
}

const isMet = ({ ran, successes, seeds, least }: PooledGate): boolean =>
  ran >= seeds && wilson(successes, ran)[0] >= least

const percent = (rate: number) => `${Number((100 * rate).toFixed(2))} %`

function failed(model: string, gate: PooledGate, isRun: boolean) {
  const { robot, task, fingerprint, least, seeds } = gate
  // Of a robot that the caller does not see, its gate says no more than that it is there.
  if (robot === null) {
    const detail = `${model} has a gate on a robot that you do not see, which these files do not meet. Ask those who write ${model}.`
    return { type: 'conflict.gate_failed' as const, detail }
  }
  const detail =
    `${model} has a gate: ${task} on ${robot} needs results of these files with ${seeds} seeds or more whose interval ` +
    `begins at ${percent(least)} or higher, and ${foundText(gate)}${drawnText(gate)}. ${fixOf(model, gate, isRun)}`
  return { type: 'conflict.gate_failed' as const, detail, task, fingerprint, least, seeds }
}

function foundText({ ran, successes, seeds }: PooledGate): string {
  if (ran === 0) return 'there are none that count'
  if (ran < seeds) return `only ${ran} were tried`
  return `with ${successes} of ${ran} it begins at ${percent(wilson(successes, ran)[0])}`
}

const drawnText = ({ drawnBy }: PooledGate) =>
  drawnBy === null ? '' : ` (pictures drawn by ${drawnBy}: not reproducible to the bit)`

function fixOf(
  model: string,
  { robot, isRobotVisible, fingerprint, seeds, ran, drawnBy }: PooledGate,
  isRun: boolean,
): string {
  if (!isRobotVisible)
    return (
      'That robot is deleted, or hidden from you: remove the gate (hub gate remove), or set it on a robot that you ' +
      'see.'
    )
  if (!isRun) return 'Rollouts run ONNX files: serve one of them, or change the gate (hub gate set).'
  // Without a result nothing here says whether the policy sees pictures.
  const seeing = ran === 0 ? 'If the policy sees pictures, they' : 'Its pictures'
  const isTold = ran === 0 || drawnBy !== null
  return (
    `Run hub rollout ${model} --robot ${robot} -n ${seeds} --publish, with the task and the disturbance of its board ` +
    `${fingerprint.slice(0, 6)} and no agent's key, or change the gate (hub gate set).` +
    (isTold ? ` ${seeing} need a Chromium there (apt install chromium, or HUB_CHROMIUM).` : '')
  )
}
