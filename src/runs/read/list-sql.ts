/**
 * The statements of a run listing. Each of the caller's accounts is read as a stream in index order, cut at the page
 * size, so that the cost of a page does not depend on the number of runs. A limited key has two such streams: the runs
 * that it filed, and the runs of its listed repos.
 */
import { ownRunSql, runListedSql, runViewer, type VisibleRuns } from '../../auth/policy.ts'
import { namesRobot } from '../../repos/named-repo.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { isIndexed, lastLookedAt } from '../../store/short-search.ts'
import { composed, firstOf, type Given, type NamedStatement, param } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-state.ts'
import { MAX_ROWS } from '../../work/newest-of.ts'
import { type RunKind, runColumns, runTables } from './run-shape.ts'
import { hasWords, patternOf, searchWays } from './search-sql.ts'

export interface RunFilter {
  readonly status?: JobStatus | null
  readonly executor?: JobExecutor | null
  readonly ownerId?: string | null
  readonly kind?: RunKind | null
  readonly robot?: string | null
  readonly gated?: boolean | null
  readonly parentRunId?: string | null
  readonly project?: string | null
  readonly group?: string | null
  readonly template?: string | null
  /** The run has all of them. */
  readonly tag?: readonly string[] | null
  /** A part of the words of the run, whatever the case of its letters: `search-sql.ts`. */
  readonly q?: string | null
}

/** `after` is the id of the last run of the previous page. */
export interface RunPageQuery {
  readonly filter: RunFilter
  readonly after: string | null
  readonly limit: number
  /** The id of the last run that the page looks at; null: of any. */
  readonly until?: string | null
}

/** A run, and the number of rows that the page would have without its byte limit. */
export const listedColumns = runColumns.with({ found: column.int4('page.found') })

/** All parameters of a listing; each statement uses some of them. */
export const params = {
  ...runViewer,
  ownerId: param.text.orNull(),
  /** In lower case. */
  robot: param.text.orNull(),
  parentRunId: param.text.orNull(),
  project: param.text.orNull(),
  group: param.text.orNull(),
  template: param.text.orNull(),
  tags: param.texts(),
  /** In lower case. */
  q: param.text.orNull(),
  /** The same as a pattern. */
  pattern: param.text.orNull(),
  after: param.text.orNull(),
  until: param.text.orNull(),
  limit: param.int4(),
}
type Values = Given<typeof params>

/** The values of `params`. */
export const valuesOf = (viewer: VisibleRuns, { filter, after, limit, until }: RunPageQuery): Values => ({
  ...viewer,
  ownerId: filter.ownerId ?? null,
  robot: filter.robot?.toLowerCase() ?? null,
  parentRunId: filter.parentRunId ?? null,
  project: filter.project ?? null,
  group: filter.group ?? null,
  template: filter.template ?? null,
  tags: filter.tag ?? [],
  q: filter.q?.toLowerCase() ?? null,
  pattern: filter.q ? patternOf(filter.q.toLowerCase()) : null,
  after,
  until: until ?? null,
  limit,
})

/** Enum values are constants in the SQL text, so that the planner can match partial indexes. */
const ofStatus: Readonly<Record<JobStatus, string>> = {
  queued: "u.status = 'queued'",
  running: "u.status = 'running'",
  succeeded: "u.status = 'succeeded'",
  failed: "u.status = 'failed'",
  canceled: "u.status = 'canceled'",
}
const ofExecutor: Readonly<Record<JobExecutor, string>> = {
  worker: "u.executor = 'worker'",
  hosted: "u.executor = 'hosted'",
}
const ofKind: Readonly<Record<RunKind, string>> = {
  cloud: "u.kind = 'cloud'",
  external: "u.kind = 'external'",
  orchestration: "u.kind = 'orchestration'",
}

/** `owner` is the column that the owner filter compares. */
export function predicates(
  { filter, after, until }: Pick<RunPageQuery, 'filter' | 'after' | 'until'>,
  owner: 'account.id' | 'u.owner_id',
): string[] {
  const found: string[] = []
  if (filter.status) found.push(ofStatus[filter.status])
  if (filter.executor) found.push(ofExecutor[filter.executor])
  if (filter.kind) found.push(ofKind[filter.kind])
  if (filter.gated === true) found.push('u.gate_total > 0')
  if (filter.gated === false) found.push('coalesce(u.gate_total, 0) = 0')
  if (filter.ownerId) found.push(`${owner} = :ownerId`)
  if (filter.parentRunId) found.push('u.parent_run_id = :parentRunId')
  if (filter.project) found.push('u.project = :project')
  if (filter.group) found.push('u.run_group = :group')
  if (filter.template) found.push('u.template = :template')
  // In the form of the index, and once more by the tags alone: an owner's id may be a tag.
  if (filter.tag?.length)
    found.push(`u.tags <> '{}' and (u.tags || u.owner_id) @> (:tags::text[] || ${owner}) and u.tags @> :tags::text[]`)
  if (filter.q) found.push(hasWords)
  if (after !== null) found.push('u.id < :after')
  if (until) found.push('u.id >= :until')
  return found
}

/**
 * A stream of its own for each way in which a run means the robot, so that each has an index; none means one stream of
 * all runs.
 */
export const robotStreams = ({ filter }: RunPageQuery): readonly string[] =>
  filter.robot ? namesRobot('u', ':robot::text') : ['true']

/** As a subquery: how many runs this very user made says nothing of the plan, which PostgreSQL would make each time. */
const creator = '(select :userId::text)'

/**
 * The caller's accounts (`mine`), and the accounts for which the user created runs and of which they are no longer a
 * member: there they see only these runs. The owners are found by stepping from one to the next in an index,
 * independent of the number of runs of each.
 */
export const accounts = `with recursive others(id) as (
    select min(u.owner_id) from runs u where u.created_by = ${creator} and u.created_by <> u.owner_id
    union all select (select min(u.owner_id) from runs u where u.created_by = ${creator} and u.created_by <> u.owner_id
      and u.owner_id > others.id)
      from others where others.id is not null),
  account(id, mine) as (select id, true from unnest(:accountIds::text[]) mine(id)
    union all select id, false from others where id <> all(:accountIds::text[]))`
/**
 * A range of one value, which makes the planner use the index that begins with the owner. With an equality, only the id
 * would be left to order by: for an account with few runs, the planner could then choose any index on ids and read the
 * runs of all accounts.
 */
const ofAccount = 'u.owner_id >= account.id and u.owner_id <= account.id'
const madeForOthers = `${ofAccount} and u.created_by = ${creator} and u.created_by <> u.owner_id`

/** A part of the runs of accounts: which accounts, and what holds of a run `u` of one. */
interface AccountSource {
  readonly which: string
  readonly condition: string
}

/**
 * The sources of the runs of accounts, of one way or of each of several: those of the caller's own, and those that they
 * made for others; and the `with` that they need.
 */
export function accountSources({ q }: RunFilter): {
  readonly tables: string
  readonly sources: readonly AccountSource[]
} {
  const ways = searchWays(q)
  return {
    tables: ways ? `${accounts}, ${ways.hits}` : accounts,
    sources: [
      ...(ways?.conditions ?? ['true']).map((way) => ({ which: 'account.mine', condition: `${ofAccount} and ${way}` })),
      { which: 'not account.mine', condition: madeForOthers },
    ],
  }
}

/** The two sources of the runs that a key limited to repos sees; they may overlap. */
export const limited = [
  `u.filed_by = :credentialId and ${ownRunSql('u')}`,
  `${runListedSql('u')} and ${ownRunSql('u')}`,
]

/** The one run that a hosted job's key sees. */
export const ofJob = 'u.id = :credentialId'

/**
 * The sources of a viewer that does not see all runs of its accounts: a limited key, or a hosted job's key, which sees
 * its own run. Null for any other.
 */
export const fewSources = (viewer: VisibleRuns): readonly string[] | null => {
  if (viewer.repoIds !== null) return limited
  return isJob(viewer) ? [ofJob] : null
}
/** Whether it is a hosted job's key. */
export const isJob = (viewer: VisibleRuns) => viewer.accountIds.length === 0 && viewer.credentialId !== null

type PageStatement = NamedStatement<RowOf<typeof listedColumns>, Values>

/** Cached by name, which encodes the shape of the SQL text. */
const prepared = new Map<string, PageStatement>()

/** The listing's statement and its values. Only frequent shapes are prepared; the rest would crowd the plan caches. */
export function runPageStatement(
  viewer: VisibleRuns,
  query: RunPageQuery,
): { statement: PageStatement; values: Values } {
  const name = statementName(viewer, query)
  const statement = prepared.get(name) ?? pageStatement(name, viewer, query)
  if (name !== '') prepared.set(name, statement)
  return { statement, values: valuesOf(viewer, query) }
}

function pageStatement(name: string, viewer: VisibleRuns, query: RunPageQuery): PageStatement {
  const few = fewSources(viewer)
  const shared = predicates(query, few ? 'u.owner_id' : 'account.id')
  const stream = (condition: string, order: string) =>
    `(${firstOf(`select u.id from runs u where ${[condition, ...shared].join(' and ')} order by ${order}`, MAX_ROWS)})`
  const ofAccounts = (which: string, condition: string) =>
    `select seen.id from account cross join lateral ${stream(condition, 'u.owner_id, u.id desc')} seen where ${which}`
  const { tables, sources } = accountSources(query.filter)
  const streams = robotStreams(query).flatMap((robot) =>
    few
      ? few.map((condition) => stream(`${condition} and ${robot}`, 'u.id desc'))
      : sources.map(({ which, condition }) => ofAccounts(which, `${condition} and ${robot}`)),
  )
  const ids = streams.join(few ? ' union ' : ' union all ')
  const text = `${few ? '' : tables} select ${listedColumns.sql}
    from (${bounded(`select id from (${ids}) candidates order by id desc limit (select :limit::int)`)}) page
    join (${runTables}) on u.id = page.id order by page.id desc`
  return composed({ name, columns: listedColumns, params, text })
}

const endColumns = columns({ id: column.text('ended.id') })

/**
 * Where a page of a search without an index ends: the newest of the runs at which one of the caller's accounts has been
 * looked at far enough. Null where the search has an index, or the key sees a part of its accounts' runs.
 */
export function runPageEnd(
  viewer: VisibleRuns,
  { filter, after, limit }: RunPageQuery,
): { statement: NamedStatement<RowOf<typeof endColumns>, Values>; values: Values } | null {
  if (!filter.q || isIndexed(filter.q) || fewSources(viewer)) return null
  const from = after === null ? [] : ['u.id < :after']
  const ends = ['account.mine', 'not account.mine'].map((which, at) => {
    const conditions = [
      at === 0 ? ofAccount : madeForOthers,
      ...(filter.ownerId ? ['account.id = :ownerId'] : []),
      ...from,
    ]
    const stream = `select u.id from runs u where ${conditions.join(' and ')} order by u.owner_id, u.id desc`
    return `select seen.id from account cross join lateral ${lastLookedAt(stream)} seen where ${which}`
  })
  const text = `${accounts} select ${endColumns.sql} from (${ends.join(' union all ')}) ended order by ended.id desc limit 1`
  return {
    statement: composed({ name: '', exact: 'aggregate', columns: endColumns, params, text }),
    values: valuesOf(viewer, { filter, after, limit }),
  }
}

/**
 * A recipe, metrics line or scorecard can have a megabyte, notes 16 KiB, and a page a hundred of them: a page ends
 * early after the run that exceeds 4 MiB.
 */
const MAX_PAGE_BYTES = 4 * 1024 * 1024

/** SQL for the size in bytes of the JSON and the notes that clients supplied for the runs row `alias`. */
export const freeFormBytes = (alias: string) =>
  `octet_length(${alias}.recipe::text) + coalesce(octet_length(${alias}.latest_metrics::text), 0) + coalesce(octet_length(${alias}.gates::text), 0) + coalesce(octet_length(${alias}.notes), 0)`

/** The rows of a page up to `MAX_PAGE_BYTES`, in this order, each with the row count without that limit. */
export const bounded = (page: string, order = 'id desc') => `select * from (
      select *, count(*) over ()::int as found,
        sum(bytes) over (order by ${order} rows between unbounded preceding and 1 preceding) as before
      from (select *, (select ${freeFormBytes('s')} from runs s where s.id = listed.id) as bytes
        from (${page}) listed) weighed) sized
    where before is null or before < ${MAX_PAGE_BYTES}`

/** Empty for a shape that is not prepared. */
function statementName(viewer: VisibleRuns, { filter, after }: RunPageQuery): string {
  const { kind, robot, parentRunId, gated, project, group, template, tag, q } = filter
  if (kind || robot || parentRunId || gated != null || project || group || template || tag?.length || q) return ''
  const who = viewer.repoIds ? 'limited' : isJob(viewer) && 'job'
  const shape = [filter.status, filter.executor, filter.ownerId && 'owner', after && 'after', who]
  return ['run-page', ...shape.filter(Boolean)].join('-')
}
