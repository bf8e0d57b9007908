/** What two results of one question differ in: the seeds that one of them succeeds with. */
import type { RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { decodeCursor, encodeCursor, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { isSeed, rolloutsById } from './list-rollouts.ts'
import type { Rollout } from './rollout-rows.ts'

const differenceColumns = columns({
  rolloutId: column.text('s.rollout_id'),
  seed: column.int4('s.seed'),
  success: column.bool('s.success'),
  return: column.float8('s.return'),
  otherReturn: column.float8('n.return'),
})

/** A seed of two results of which one succeeds and the other does not. */
export type Difference = RowOf<typeof differenceColumns>

const differencesPage = statement({
  name: 'rollout-differences-page',
  exact: 'per-parent',
  columns: differenceColumns,
  params: { ids: param.texts(), otherId: param.text(), after: param.int4(), limit: param.int8() },
  text: `select ${differenceColumns.sql} from unnest(:ids::text[]) as q(rollout_id)
    cross join lateral (select c.* from rollout_outcomes c
      join rollout_outcomes d on d.rollout_id = :otherId and d.seed = c.seed and d.success <> c.success
      where c.rollout_id = q.rollout_id and c.seed > :after order by c.seed limit :limit) s
    join rollout_outcomes n on n.rollout_id = :otherId and n.seed = s.seed
    order by s.rollout_id, s.seed`,
})

/**
 * A page, by seed, of the seeds that each result and `otherId` share and end otherwise; 409 `conflict.wrong_kind` in
 * place of the page of one that has other conditions. Two statements. Errors: 404 for another result that the caller
 * does not see, 422 `validation.cursor`.
 */
export async function differencesOfRollouts(
  ctx: RequestContext,
  rollouts: readonly Rollout[],
  { otherId, limit, after }: { readonly otherId: string; readonly limit: number; readonly after: string | null },
): Promise<(Page<Difference> | HubError)[]> {
  const listing = `rollout-differences:${otherId}`
  const [last] = after === null ? [-1] : decodeCursor<[number]>(listing, after, [isSeed])
  const [other] = await rolloutsById(ctx, [otherId])
  if (!other) throw notFound(`The result ${otherId}`)
  const ids = rollouts.flatMap((one) => (isSameQuestion(one, other) ? [one.id] : []))
  const rows = await ctx.deps.db.query(differencesPage, { ids, otherId, after: last, limit: limit + 1 })
  const byRollout = Map.groupBy(rows, (row) => row.rolloutId)
  return rollouts.map((one) => {
    const { id } = one
    if (!isSameQuestion(one, other)) return incomparable(one, other)
    const found = byRollout.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: ({ seed }) => encodeCursor(listing, [seed]),
    }
  })
}

/** A seed says the same of two policies on one robot under the same conditions alone. */
const isSameQuestion = (one: Rollout, other: Rollout) =>
  one.robotRepoId === other.robotRepoId && one.fingerprint === other.fingerprint

const incomparable = (one: Rollout, other: Rollout) =>
  new HubError(
    'conflict.wrong_kind',
    `${one.id} is of ${one.task} on ${one.robot}, and ${other.id} of ${other.task} on ${other.robot}: compare ` +
      'results of one robot whose fingerprints of the conditions are equal.',
  )
