/** Gates: what the results of a model must come to before it is served. Contract, "Results of rollouts". */
import { assertNotAgent, assertNotJob, repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import { findRepo, findRepoToWrite, lockWithOther } from '../repos/get-repo.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { assign, excluded, insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { MAX_GATES } from './limits.ts'

const gateColumns = columns({
  modelRepoId: column.text('g.model_repo_id'),
  robot: column.text("o.handle || '/' || r.slug"),
  fingerprint: column.text('g.fingerprint'),
  task: column.text('g.task'),
  least: column.float8('g.least'),
  seeds: column.int4('g.seeds'),
  createdAt: column.timestamptz('g.created_at'),
})

/** A gate of a model. */
export type RolloutGate = RowOf<typeof gateColumns>

const gatesOf = statement({
  name: 'rollout-gates',
  exact: 'per-parent',
  columns: gateColumns,
  params: { ...repoViewer, modelIds: param.texts() },
  text: `select ${gateColumns.sql} from rollout_gates g join repos r on r.id = g.robot_repo_id
    join accounts o on o.id = r.owner_id where g.model_repo_id = any(:modelIds::text[]) and ${repoVisibleSql('r')}
    order by g.model_repo_id, 2, g.task, g.fingerprint`,
})

/** The gates of each model on robots that the caller sees, by robot and task. One statement. */
export async function gatesOfRepos(
  { deps, viewer }: RequestContext,
  modelIds: readonly string[],
): Promise<RolloutGate[][]> {
  const rows = await deps.db.query(gatesOf, { ...visibleRepos(viewer), modelIds })
  const byModel = Map.groupBy(rows, (row) => row.modelRepoId)
  return modelIds.map((id) => byModel.get(id) ?? [])
}

const taskColumns = columns({ task: column.text('c.task') })

const taskOf = statement({
  name: 'rollout-gate-task',
  exact: 'in-transaction',
  columns: taskColumns,
  params: { ...repoViewer, robotRepoId: param.text(), fingerprint: param.text() },
  text: `select ${taskColumns.sql} from rollouts c join repos r on r.id = c.model_repo_id
    where c.robot_repo_id = :robotRepoId and c.fingerprint = :fingerprint and ${repoVisibleSql('r')} limit 1`,
})

const countColumns = columns({ gates: column.int8('count(*)') })

const countGates = statement({
  name: 'rollout-gates-count',
  exact: 'in-transaction',
  columns: countColumns,
  params: { modelRepoId: param.text() },
  text: `select ${countColumns.sql} from rollout_gates where model_repo_id = :modelRepoId`,
})

const gateParams = { modelRepoId: param.text(), robotRepoId: param.text(), fingerprint: param.text() }
const row = insertInto('rollout_gates', {
  ...gateParams,
  task: param.text(),
  least: param.float8(),
  seeds: param.int4(),
  createdBy: param.text.orNull(),
})
const changes = assign('rollout_gates', { least: excluded, seeds: excluded, createdBy: excluded })

const upsert = statement({
  name: 'rollout-gate-put',
  params: row.params,
  text: `${row.sql} on conflict (model_repo_id, robot_repo_id, fingerprint) do update
    set ${changes.sql}, created_at = now()`,
})

const remove = statement({
  name: 'rollout-gate-delete',
  params: gateParams,
  text: `delete from rollout_gates where model_repo_id = :modelRepoId and robot_repo_id = :robotRepoId
    and fingerprint = :fingerprint`,
})

export interface PutGateInput {
  readonly owner: string
  readonly repo: string
  readonly robot: string
  /** Of the conditions: some result on the robot has it. */
  readonly fingerprint: string
  /** Null removes the gate. */
  readonly least: number | null
  readonly seeds: number
}

/**
 * The gates of the model afterwards. Errors: 401, 403 (also agents' keys), 404 either repo, 409 `conflict.wrong_kind`,
 * 422 conditions that no result on the robot has, and more than 20 gates.
 */
export function putRolloutGate(ctx: RequestContext, input: PutGateInput): Promise<readonly RolloutGate[]> {
  return guarded(
    ctx,
    async () => {
      const model = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'change a gate')
      assertNotAgent(ctx.viewer, 'change a gate')
      const [owner = '', slug = ''] = input.robot.split('/')
      const robot = await findRepo(ctx, { owner, slug })
      if (model.kind !== 'model' || robot.kind !== 'robot')
        throw new HubError('conflict.wrong_kind', 'A gate is of a model repo, about its rollouts on a robot repo.')
      return { model, robot }
    },
    (allowed, { model, robot }) =>
      commitVerb(allowed, async (tx) => {
        await lockWithOther(tx, model, robot)
        const { fingerprint, least, seeds } = input
        const key = { modelRepoId: model.id, robotRepoId: robot.id, fingerprint }
        const viewer = visibleRepos(allowed.viewer)
        if (least === null) await tx.query(remove, key)
        else {
          const [found] = await tx.query(taskOf, { ...viewer, robotRepoId: robot.id, fingerprint })
          if (!found) throw unknownConditions(robot.fullName)
          const createdBy = allowed.viewer.kind === 'anonymous' ? null : allowed.viewer.personId
          await tx.query(upsert, { ...key, task: found.task, least, seeds, createdBy })
          const [counted] = await tx.query(countGates, { modelRepoId: model.id })
          if (counted && counted.gates > MAX_GATES) throw tooMany(model.fullName)
        }
        await audit(tx, allowed, {
          action: 'rollouts.gate',
          accountId: model.ownerId,
          targetId: model.id,
          after: { robot: robot.fullName, fingerprint, least, seeds },
        })
        return tx.query(gatesOf, { ...viewer, modelIds: [model.id] })
      }),
  )
}

const unknownConditions = (robot: string) =>
  invalid(
    'validation.value',
    `No result on ${robot} has these conditions: publish one first, and take the fingerprint that it has.`,
    ['fingerprint'],
  )

const tooMany = (model: string) =>
  invalid('validation.value', `${model} has ${MAX_GATES} gates, and a model has no more; remove one.`, ['fingerprint'])

const openColumns = columns({
  /** Null for a robot that the caller does not see. */
  robot: column.text.orNull(`case when ${repoVisibleSql('r')} then o.handle || '/' || r.slug end`),
  task: column.text('g.task'),
  fingerprint: column.text('g.fingerprint'),
  least: column.float8('g.least'),
  seeds: column.int4('g.seeds'),
  bestLowest: column.float8.orNull('b.lowest'),
})

const openGates = statement({
  name: 'rollout-gates-open',
  exact: 'aggregate',
  columns: openColumns,
  params: { ...repoViewer, modelRepoId: param.text(), policyDigest: param.text.orNull() },
  text: `select ${openColumns.sql} from rollout_gates g join repos r on r.id = g.robot_repo_id
    join accounts o on o.id = r.owner_id
    left join lateral (select max(c.lowest) as lowest from rollouts c where c.model_repo_id = g.model_repo_id
      and c.robot_repo_id = g.robot_repo_id and c.fingerprint = g.fingerprint and c.policy_digest = :policyDigest
      and c.seeds >= g.seeds) b on true
    where g.model_repo_id = :modelRepoId and (b.lowest is null or b.lowest < g.least)
    order by g.task, g.fingerprint`,
})

const percent = (rate: number) => `${Number((100 * rate).toFixed(2))} %`

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
  const open = await ctx.querier.query(openGates, given)
  if (open.length === 0) return
  const items = open.map(({ robot, task, fingerprint, least, seeds, bestLowest }) => {
    // Of a robot that the caller does not see, its gate says no more than that it is there.
    if (robot === null) {
      const detail = `${model.fullName} has a gate on a robot that you do not see, which these files do not meet.`
      return { type: 'conflict.gate_failed' as const, detail }
    }
    const best = bestLowest === null ? 'there is none' : `the best begins at ${percent(bestLowest)}`
    const fix =
      policyDigest === null
        ? 'Rollouts run ONNX files: serve one of them'
        : `Run hub rollout ${model.fullName} --robot ${robot} -n ${seeds} --publish, with the task and the ` +
          `disturbance of its board ${fingerprint.slice(0, 6)}`
    const detail =
      `${model.fullName} has a gate: ${task} on ${robot} needs a result of these ` +
      `files with ${seeds} seeds or more whose interval begins at ${percent(least)} or higher, and ${best}. ` +
      `${fix}, or change the gate.`
    return { type: 'conflict.gate_failed' as const, detail, task, fingerprint, least, seeds }
  })
  throw new HubError('conflict.gate_failed', items[0]?.detail ?? '', { items })
}
