/**
 * The statement of a run listing that is sorted by a metric: from the summaries of each account by the index of account
 * and metric, without points. The runs that have no such metric are not in it. No index has the values, which each
 * report changes, so a page reads one row for each run of the caller's accounts that has the metric.
 */
import type { VisibleRuns } from '../../auth/policy.ts'
import { column, type RowOf } from '../../store/columns.ts'
import { composed, type Given, type NamedStatement, param } from '../../store/statement.ts'
import type { RunPageQuery } from './list-sql.ts'
import {
  accountSources,
  bounded,
  fewSources,
  listedColumns,
  params,
  predicates,
  robotStreams,
  valuesOf,
} from './list-sql.ts'
import { runTables } from './run-shape.ts'

/** The columns of summaries that a list is sorted by; `best` is one of these, by what is better. */
export type SortColumn = 'last' | 'min' | 'max' | 'mean'

export interface SortedQuery extends RunPageQuery {
  readonly metric: string
  readonly by: SortColumn
  readonly order: 'asc' | 'desc'
  /** The value of the last run of the previous page. */
  readonly afterValue: number | null
}

const sortedColumns = listedColumns.with({ sortValue: column.float8('page.value') })
const sortedParams = { ...params, metric: param.text(), afterValue: param.float8.orNull() }
type SortedStatement = NamedStatement<RowOf<typeof sortedColumns>, Given<typeof sortedParams>>

/** One statement for a page; its shape depends on the filters, so it is not prepared. */
export function sortedPageStatement(
  viewer: VisibleRuns,
  query: SortedQuery,
): { statement: SortedStatement; values: Given<typeof sortedParams> } {
  const { by, order, afterValue, metric } = query
  const few = fewSources(viewer)
  const filters = predicates({ ...query, after: null }, few ? 'u.owner_id' : 'account.id')
  const sorted = `value ${order}, id ${order}`
  const after = afterValue === null ? [] : [`(s.${by}, s.run_id) ${order === 'desc' ? '<' : '>'} (:afterValue, :after)`]
  const stream = (conditions: readonly string[]) => `(select s.run_id as id, s.${by} as value
    from run_metric_summaries s join runs u on u.id = s.run_id
    where ${['s.key = :metric', ...conditions, ...filters, ...after].join(' and ')} order by ${sorted} limit :limit::int)`
  const { tables, sources } = accountSources(query.filter)
  const ofAccounts = ({ which, condition }: (typeof sources)[number], robot: string) =>
    `select seen.* from account cross join lateral ${stream([
      's.owner_id >= account.id and s.owner_id <= account.id',
      condition,
      robot,
    ])} seen where ${which}`
  const streams = robotStreams(query).flatMap((robot) =>
    few ? few.map((one) => stream([one, robot])) : sources.map((one) => ofAccounts(one, robot)),
  )
  const page = `select id, value from (${streams.join(few ? ' union ' : ' union all ')}) candidates
    order by ${sorted} limit :limit::int`
  const text = `${few ? '' : tables} select ${sortedColumns.sql} from (${bounded(page, sorted)}) page
    join (${runTables}) on u.id = page.id order by page.value ${order}, page.id ${order}`
  return {
    statement: composed({ name: '', exact: 'each-request', columns: sortedColumns, params: sortedParams, text }),
    values: { ...valuesOf(viewer, query), metric, afterValue },
  }
}
