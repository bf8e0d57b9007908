/** Gates: what the results of a model must reach before it is served. Contract, "Results of rollouts". */
import { assertNotAgent, assertNotJob, repoOwnSql, repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import { findRepo, findRepoToWrite, lockWithOther, type RepoFacts } from '../repos/get-repo.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { assign, excluded, insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { MAX_GATES } from './limits.ts'
import { seenBranches } from './rollout-rows.ts'

/** A gate `g` with its model `m`, and with its robot `r` and the owner `o` of that as long as there is one. */
export const gateParties = `rollout_gates g join repos m on m.id = g.model_repo_id
    left join repos r on r.id = g.robot_repo_id left join accounts o on o.id = r.owner_id`

/** Whether the robot is there, and the caller sees it. With `repoViewer`. */
export const isRobotVisibleSql = `coalesce(${repoVisibleSql('r')}, false)`

/** The robot's name now; of one that is gone or hidden, the name that the gate was set with. With `repoViewer`. */
export const gateRobotSql = `case when ${isRobotVisibleSql} then o.handle || '/' || r.slug else g.robot end`

const gateColumns = columns({
  modelRepoId: column.text('g.model_repo_id'),
  robot: column.text(gateRobotSql),
  isRobotVisible: column.bool(isRobotVisibleSql),
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
  text: `select ${gateColumns.sql} from ${gateParties}
    where g.model_repo_id = any(:modelIds::text[]) and (${isRobotVisibleSql} or ${repoOwnSql('m')})
    order by g.model_repo_id, 2, g.task, g.fingerprint, g.robot_repo_id`,
})

/**
 * The gates of each model by robot and task: on robots that the caller sees, and all of a model of the caller's own.
 * One statement.
 */
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
  text: `select ${taskColumns.sql} from (${seenBranches(
    (isSeen) => `select c.task from rollouts c
      where c.robot_repo_id = :robotRepoId and c.fingerprint = :fingerprint and ${isSeen} and c.is_entry limit 1`,
  )}) c limit 1`,
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
  robot: param.text(),
  task: param.text(),
  least: param.float8(),
  seeds: param.int4(),
  createdBy: param.text.orNull(),
})
const changes = assign('rollout_gates', { robot: excluded, least: excluded, seeds: excluded, createdBy: excluded })

const upsert = statement({
  name: 'rollout-gate-put',
  params: row.params,
  text: `${row.sql} on conflict (model_repo_id, robot_repo_id, fingerprint) do update
    set ${changes.sql}, created_at = now()`,
})

/** By the name that the list shows the caller: also where the robot is gone, or hidden from them. */
const remove = statement({
  name: 'rollout-gate-delete',
  params: { ...repoViewer, modelRepoId: param.text(), robot: param.text(), fingerprint: param.text() },
  text: `delete from rollout_gates x using ${gateParties} where x.model_repo_id = g.model_repo_id
    and x.robot_repo_id = g.robot_repo_id and x.fingerprint = g.fingerprint
    and g.model_repo_id = :modelRepoId and g.fingerprint = :fingerprint and ${gateRobotSql} = :robot`,
})

/** A gate on a robot that is set again under the name of one that is gone takes the place of that one's. */
const replaceGone = statement({
  name: 'rollout-gate-replace-gone',
  params: { modelRepoId: param.text(), robot: param.text(), fingerprint: param.text() },
  text: `delete from rollout_gates g where g.model_repo_id = :modelRepoId and g.fingerprint = :fingerprint
    and g.robot = :robot and not exists (select 1 from repos r where r.id = g.robot_repo_id)`,
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
 * The gates of the model afterwards. To remove one takes no right on its robot. Errors: 401, 403 (also agents' keys),
 * 404 the model, or the robot of a gate that is set, 409 `conflict.wrong_kind`, 422 conditions that no result on the
 * robot has, and more than 20 gates.
 */
export function putRolloutGate(ctx: RequestContext, input: PutGateInput): Promise<readonly RolloutGate[]> {
  return guarded(
    ctx,
    async () => {
      const model = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'change a gate')
      assertNotAgent(ctx.viewer, 'change a gate')
      assertKind(model, 'model')
      if (input.least === null) return { model, robot: null }
      const [owner = '', slug = ''] = input.robot.split('/')
      const robot = await findRepo(ctx, { owner, slug })
      assertKind(robot, 'robot')
      return { model, robot }
    },
    (allowed, { model, robot }) =>
      commitVerb(allowed, async (tx) => {
        // The robot of a gate that is removed may be gone.
        const { ownerId } = await lockWithOther(tx, model, robot ?? model)
        const { fingerprint, least, seeds } = input
        const viewer = visibleRepos(allowed.viewer)
        if (robot === null || least === null)
          await tx.query(remove, { ...viewer, modelRepoId: model.id, robot: input.robot, fingerprint })
        else await setGate(tx, allowed, { model, robot, fingerprint, least, seeds })
        await audit(tx, allowed, {
          action: 'rollouts.gate',
          accountId: ownerId,
          targetId: model.id,
          after: { robot: robot?.fullName ?? input.robot, fingerprint, least, seeds },
        })
        return tx.query(gatesOf, { ...viewer, modelIds: [model.id] })
      }),
  )
}

interface Gate extends Pick<PutGateInput, 'fingerprint' | 'seeds'> {
  readonly model: RepoFacts
  readonly robot: RepoFacts
  readonly least: number
}

async function setGate(tx: Tx, { viewer }: RequestContext, { model, robot, fingerprint, least, seeds }: Gate) {
  const [found] = await tx.query(taskOf, { ...visibleRepos(viewer), robotRepoId: robot.id, fingerprint })
  if (!found) throw unknownConditions(robot.fullName)
  const named = { modelRepoId: model.id, robot: robot.fullName, fingerprint }
  await tx.query(replaceGone, named)
  const createdBy = viewer.kind === 'anonymous' ? null : viewer.personId
  await tx.query(upsert, { ...named, robotRepoId: robot.id, task: found.task, least, seeds, createdBy })
  const [counted] = await tx.query(countGates, { modelRepoId: model.id })
  if (counted && counted.gates > MAX_GATES) throw tooMany(model.fullName)
}

function assertKind({ kind }: RepoFacts, needed: RepoFacts['kind']): void {
  if (kind !== needed)
    throw new HubError('conflict.wrong_kind', 'A gate is of a model repo, about its rollouts on a robot repo.')
}

const unknownConditions = (robot: string) =>
  invalid(
    'validation.value',
    `No result on ${robot} has these conditions: publish one first, and take the fingerprint that it has.`,
    ['fingerprint'],
  )

const tooMany = (model: string) =>
  invalid('validation.value', `${model} has ${MAX_GATES} gates, and a model has no more; remove one.`, ['fingerprint'])
