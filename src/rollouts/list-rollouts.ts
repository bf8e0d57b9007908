/** Pages of results of rollouts: those of models, and the outcomes of each; as far as the caller sees their robots. */
import { repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import { statesOfRepos } from '../files/versions/states.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { decodeCursor, encodeCursor, idPart, type KeyPart, type Page } from '../platform/page.ts'
import { assertTimeLeftHere } from '../platform/processor-time.ts'
import { turns } from '../platform/turns.ts'
import { sizedRows, tooLargeTogether } from '../store/bounded-read.ts'
import { param, statement } from '../store/statement.ts'
import { type PolicyAt, policiesAt } from './policies-at.ts'
import {
  type Conditions,
  conditionsColumns,
  outcomeColumns,
  type Rollout,
  type RolloutOutcome,
  rolloutColumns,
  rolloutParties,
} from './rollout-rows.ts'

const pageParams = {
  ...repoViewer,
  modelIds: param.texts(),
  robot: param.text.orNull(),
  after: param.text.orNull(),
  limit: param.int8(),
}

const pageSql = (condition: string) => `select ${rolloutColumns.sql} from unnest(:modelIds::text[]) as q(repo_id)
    cross join lateral (select c.* from rollouts c
      join repos r on r.id = c.robot_repo_id join accounts o on o.id = r.owner_id
      where c.model_repo_id = q.repo_id and ${repoVisibleSql('r')}
        and (:robot::text is null or o.handle || '/' || r.slug = :robot)
        and c.id < coalesce(:after::text, 'roll_z') ${condition}
      order by c.id desc limit :limit) x
    ${rolloutParties} order by x.model_repo_id, x.id desc`

const page = statement({
  name: 'rollouts-page',
  exact: 'per-parent',
  columns: rolloutColumns,
  params: pageParams,
  text: pageSql(''),
})

/** Of some policies alone, for which each result is looked up. */
export const pageOfPolicies = statement({
  name: 'rollouts-of-policies-page',
  exact: 'per-parent',
  columns: rolloutColumns,
  params: { ...pageParams, ofIds: param.texts(), paths: param.texts(), digests: param.texts() },
  // A hash that is made once; as a join, each result would be compared with each policy.
  text: pageSql(`and ((c.model_repo_id, c.policy_path, c.policy_digest)
          in (select * from unnest(:ofIds::text[], :paths::text[], :digests::text[]))) is true`),
})

const byId = statement({
  name: 'rollouts-by-id',
  exact: 'per-parent',
  columns: rolloutColumns,
  params: { ...repoViewer, ids: param.texts() },
  text: `select ${rolloutColumns.sql} from rollouts x ${rolloutParties}
    where x.id = any(:ids::text[]) and ${repoVisibleSql('t')} and ${repoVisibleSql('m')}`,
})

const outcomesPage = statement({
  name: 'rollout-outcomes-page',
  exact: 'per-parent',
  columns: outcomeColumns,
  params: { ids: param.texts(), after: param.int4(), failed: param.bool(), limit: param.int8() },
  text: `select ${outcomeColumns.sql} from unnest(:ids::text[]) as q(rollout_id)
    cross join lateral (select * from rollout_outcomes c where c.rollout_id = q.rollout_id and c.seed > :after
        and not (:failed and c.success)
      order by c.seed limit :limit) s
    order by s.rollout_id, s.seed`,
})

export interface RolloutsInput {
  readonly limit: number
  readonly after: string | null
  /** Full name of the only robot that is meant; null for all. */
  readonly robot: string | null
  /** Only results of these policies; null for all. */
  readonly policies: readonly PolicyAt[] | null
}

/** A page for each model, newest first, in the order requested. One statement. 422 `validation.cursor`. */
export async function rolloutsOfRepos(
  { deps, viewer }: RequestContext,
  modelIds: readonly string[],
  { limit, after, robot, policies }: RolloutsInput,
): Promise<Page<Rollout>[]> {
  const [last] = after === null ? [null] : decodeCursor<[string]>('rollouts', after, [idPart('roll')])
  const asked = { ...visibleRepos(viewer), modelIds, robot, after: last, limit: limit + 1 }
  const rows = policies
    ? await deps.db.query(pageOfPolicies, { ...asked, ...listsOf(policies) })
    : await deps.db.query(page, asked)
  const byModel = Map.groupBy(rows, (row) => row.modelRepoId)
  return modelIds.map((id) => {
    const found = byModel.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: (one) => encodeCursor('rollouts', [one.id]),
    }
  })
}

const listsOf = (policies: readonly PolicyAt[]) => ({
  ofIds: policies.map(({ repoId }) => repoId),
  paths: policies.map(({ path }) => path),
  digests: policies.map(({ digest }) => digest),
})

/**
 * `rolloutsOfRepos` of the policies that this version of each model has, of whichever version of the same bytes they
 * ran. An error for a model without the version; 413 where the policies of all are too many. Three statements.
 */
export async function rolloutsOfVersion(
  ctx: RequestContext,
  modelIds: readonly string[],
  version: string,
  input: Omit<RolloutsInput, 'policies'>,
): Promise<(Page<Rollout> | HubError)[]> {
  const states = await statesOfRepos(ctx, modelIds, version, ['version'])
  const policies = await policiesAt(
    ctx,
    states.flatMap((state) => (state instanceof HubError ? [] : state)),
  )
  const pages = await rolloutsOfRepos(ctx, modelIds, { ...input, policies })
  return states.map((state, index) => (state instanceof HubError ? state : (pages[index] ?? notFound('The repo'))))
}

/** Results by id, in the order requested; null where the caller does not see model or robot. One statement. */
export async function rolloutsById(
  { deps, viewer }: RequestContext,
  ids: readonly string[],
): Promise<(Rollout | null)[]> {
  const rows = await deps.db.query(byId, { ...visibleRepos(viewer), ids })
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found.get(id) ?? null)
}

/** Seeds are PostgreSQL's integers. */
export const isSeed = (part: KeyPart): part is number => Number.isInteger(part) && Math.abs(Number(part)) < 2 ** 31

export interface OutcomesInput {
  readonly limit: number
  readonly after: string | null
  /** Only those without success. */
  readonly failed: boolean
}

/** A page of outcomes for each result that the caller sees, by seed. One statement. 422 `validation.cursor`. */
export async function outcomesOfRollouts(
  { deps }: Pick<RequestContext, 'deps'>,
  ids: readonly string[],
  { limit, after, failed }: OutcomesInput,
): Promise<Page<RolloutOutcome>[]> {
  const listing = `rollout-outcomes:${failed}`
  const [last] = after === null ? [-1] : decodeCursor<[number]>(listing, after, [isSeed])
  const rows = await deps.db.query(outcomesPage, { ids, after: last, failed, limit: limit + 1 })
  const byRollout = Map.groupBy(rows, (row) => row.rolloutId)
  return ids.map((id) => {
    const found = byRollout.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: ({ seed }) => encodeCursor(listing, [seed]),
    }
  })
}

/** Of conditions: read in about 10 ms. */
const CHARACTERS_PER_TURN = 512 * 1024

const conditionsOf = statement({
  name: 'rollout-conditions',
  exact: 'client-json',
  columns: conditionsColumns,
  params: { ids: param.texts() },
  text: `select ${conditionsColumns.sql}
    from ${sizedRows('id', 'octet_length(conditions::text)', 'rollouts', 'id = any(:ids::text[])')} sized
    join rollouts x on x.id = any(array[sized.id])`,
})

/**
 * The conditions of each result that the caller sees, each read in a turn of its own; 404 for one that is dropped
 * meanwhile, 413 for those beyond 16 MiB. One statement.
 */
export async function conditionsOfRollouts(
  { deps }: Pick<RequestContext, 'deps'>,
  ids: readonly string[],
): Promise<(Conditions | Error)[]> {
  const found = new Map<string, Conditions | HubError>()
  for (const { id, conditions } of await deps.db.query(conditionsOf, { ids })) {
    await turns.next((conditions?.text.length ?? 0) / CHARACTERS_PER_TURN)
    assertTimeLeftHere()
    found.set(id, conditions?.value ?? tooLargeTogether('conditions'))
  }
  return ids.map((id) => found.get(id) ?? notFound(`The result ${id}`))
}

/** The disturbances of these conditions alone, under the same errors. One statement. */
export async function disturbancesOfRollouts(
  ctx: Pick<RequestContext, 'deps'>,
  ids: readonly string[],
): Promise<(Conditions['disturbance'] | Error)[]> {
  const all = await conditionsOfRollouts(ctx, ids)
  return all.map((one) => (one instanceof Error ? one : one.disturbance))
}
