/**
 * The statements of a run listing. Each of the caller's accounts is read as a stream that an index has in order, cut at the page size, so that a page costs
 * the same however many runs there are; so are the runs of a limited key: those it filed, and those of its listed repos.
 */
import { type RunViewerParams, runListedSql, runTheirsSql } from '../../auth/policy.ts'
import type { Statement } from '../../store/db.ts'
import type { JobStatus } from '../../work/job-status.ts'
import type { RunExecutor } from '../run-state.ts'
import { type RunKind, type RunRow, runColumns, runTables } from './run-shape.ts'

export interface RunFilter {
  readonly status?: JobStatus | null
  readonly executor?: RunExecutor | null
  readonly ownerId?: string | null
  readonly kind?: RunKind | null
  readonly robot?: string | null
  readonly gated?: boolean | null
  readonly parentRunId?: string | null
}

/** A run, and how many rows the page would have without the bound on its size. */
export type RunPageRow = readonly [...run: RunRow, found: number]

/** The place of `found`. */
export const FOUND = 52

/** `after` is the id of the last run of the page before. */
export interface RunPageQuery {
  readonly filter: RunFilter
  readonly after: string | null
  readonly limit: number
}

/**
 * Words of a closed list go into the text, so that a partial index can be seen to fit; values become parameters after the viewer's four. `owner` is the
 * column that an owner is asked of.
 */
function predicates(
  { filter, after }: Pick<RunPageQuery, 'filter' | 'after'>,
  owner: 'account.id' | 'u.owner_id',
  values: unknown[],
): string[] {
  const add = (value: unknown) => `$${values.push(value)}`
  const found: string[] = []
  if (filter.status) found.push(`u.status = '${filter.status}'`)
  if (filter.executor) found.push(`u.executor = '${filter.executor}'`)
  if (filter.kind) found.push(`u.kind = '${filter.kind}'`)
  if (filter.gated === true) found.push('u.gate_total > 0')
  if (filter.gated === false) found.push('coalesce(u.gate_total, 0) = 0')
  if (filter.ownerId) found.push(`${owner} = ${add(filter.ownerId)}`)
  if (filter.robot) found.push(`lower(u.robot) = ${add(filter.robot.toLowerCase())}`)
  if (filter.parentRunId) found.push(`u.parent_run_id = ${add(filter.parentRunId)}`)
  if (after !== null) found.push(`u.id < ${add(after)}`)
  return found
}

/**
 * The caller's accounts (`mine`), and those that a user once made runs for and is of no more: there only these runs are theirs. The owners are found by
 * stepping from one to the next in an index, however many runs each has.
 */
const accounts = `with recursive others(id) as (
    select min(u.owner_id) from runs u where u.created_by = $3 and u.created_by <> u.owner_id
    union all select (select min(u.owner_id) from runs u where u.created_by = $3 and u.created_by <> u.owner_id and u.owner_id > others.id)
      from others where others.id is not null),
  account(id, mine) as (select id, true from unnest($1::text[]) mine(id)
    union all select id, false from others where id <> all($1::text[]))`
/**
 * A range of one value, for the order of an index that begins with the owner: an equality would leave the id alone to order by, and the planner would then
 * take any index on ids and read everybody's runs for an account that has few.
 */
const ofAccount = 'u.owner_id >= account.id and u.owner_id <= account.id'
const madeForOthers = `${ofAccount} and u.created_by = $3 and u.created_by <> u.owner_id`

/** The two sources of what a key limited to repos sees, which may overlap. */
const limited = [`u.filed_by = $4 and ${runTheirsSql('u')}`, `${runListedSql('u')} and ${runTheirsSql('u')}`]

/** What the viewer sees where that is not all of its accounts: a limited key, or a hosted job's, which sees the run that it is for. */
const fewSources = (viewer: RunViewerParams): readonly string[] | null => {
  if (viewer[1] !== null) return limited
  return isJob(viewer) ? ['u.id = $4'] : null
}
const isJob = (viewer: RunViewerParams) => viewer[0].length === 0 && viewer[3] !== null

/** Parameters that a shape does not use still need a type. */
const typed =
  '$1::text[] is not null and ($2::text[] is null or true) and ($3::text is null or true) and ($4::text is null or true)'

/** The listing's statement and its values. Only the shapes that pages ask for all the time are prepared; the rest would crowd the plan caches. */
export function runPageStatement(
  viewer: RunViewerParams,
  query: RunPageQuery,
): { statement: Statement<RunPageRow>; values: unknown[] } {
  const values: unknown[] = [...viewer]
  const few = fewSources(viewer)
  const shared = predicates(query, few ? 'u.owner_id' : 'account.id', values)
  const limit = `$${values.push(query.limit)}::int`
  const stream = (condition: string, order: string) =>
    `(select u.id from runs u where ${[condition, ...shared].join(' and ')} order by ${order} limit ${limit})`
  const ofAccounts = (which: string, condition: string) =>
    `select seen.id from account cross join lateral ${stream(condition, 'u.owner_id, u.id desc')} seen where ${which}`
  const ids = few
    ? few.map((condition) => stream(condition, 'u.id desc')).join(' union ')
    : `${ofAccounts('account.mine', ofAccount)} union all ${ofAccounts('not account.mine', madeForOthers)}`
  const text = `${few ? '' : accounts} select ${runColumns}, page.found
    from (${bounded(`select id from (${ids}) candidates order by id desc limit ${limit}`)}) page
    join (${runTables}) on u.id = page.id where ${typed} order by page.id desc`
  return { statement: { name: statementName(viewer, query), rows: 'array', text }, values }
}

/** A recipe, a metrics line or a scorecard may have a megabyte and a page a hundred of them: a page ends early behind the run that takes it past 4 MiB. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024

const freeFormBytes = `octet_length(s.recipe::text) + coalesce(octet_length(s.latest_metrics::text), 0) + coalesce(octet_length(s.gates::text), 0)`

/** The rows of a page up to that bound, each with how many there are without it. */
const bounded = (page: string) => `select id, found from (
      select id, count(*) over ()::int as found, sum(bytes) over (order by id desc rows between unbounded preceding and 1 preceding) as before
      from (select id, (select ${freeFormBytes} from runs s where s.id = listed.id) as bytes from (${page}) listed) weighed) sized
    where before is null or before < ${MAX_PAGE_BYTES}`

/** Empty where it is not worth a prepared statement. */
function statementName(viewer: RunViewerParams, { filter, after }: RunPageQuery): string {
  if (filter.kind || filter.robot || filter.parentRunId || filter.gated != null) return ''
  const who = viewer[1] ? 'limited' : isJob(viewer) && 'job'
  const shape = [filter.status, filter.executor, filter.ownerId && 'owner', after && 'after', who]
  return ['run-page', ...shape.filter(Boolean)].join('-')
}

/** One value of a facet and how many of the visible runs have it. */
export interface FacetRow {
  readonly facet: 'total' | 'kind' | 'executor' | 'status' | 'robot' | 'gated'
  readonly value: string | null
  readonly count: number
}

const counted = `u.kind::text as kind, u.executor::text as executor, u.status::text as status, u.robot,
  (coalesce(u.gate_total, 0) > 0)::text as gated`

const facetText = (head: string, source: string) => `${head} counted as (${source})
  select case when grouping(kind) = 0 then 'kind' when grouping(executor) = 0 then 'executor' when grouping(status) = 0 then 'status'
      when grouping(lower(robot)) = 0 then 'robot' when grouping(gated) = 0 then 'gated' else 'total' end as facet,
    case when grouping(lower(robot)) = 0 then min(robot) else coalesce(kind, executor, status, gated) end as value, count(*)::int as count
  from counted where ${typed} group by grouping sets ((), (kind), (executor), (status), (lower(robot)), (gated))`

/** Counts over every run that the caller can see, in one pass; the accounts' own are read from an index alone. */
export function runFacetStatement(viewer: RunViewerParams): Statement<FacetRow> {
  const few = fewSources(viewer)
  if (few) {
    const visible = few.map((condition) => `select u.id from runs u where ${condition}`).join(' union ')
    const text = facetText('with', `select ${counted} from runs u where u.id in (${visible})`)
    return { name: isJob(viewer) ? 'run-facets-job' : 'run-facets-limited', text }
  }
  const seen = `cross join lateral (select ${counted} from runs u where u.owner_id = account.id`
  // Two halves: a condition on who created a run would have to look at the run itself.
  const source = `select seen.* from account ${seen} and account.mine offset 0) seen
    union all select seen.* from account ${seen} and not account.mine and u.created_by = $3 offset 0) seen`
  return { name: 'run-facets', text: facetText(`${accounts},`, source) }
}
