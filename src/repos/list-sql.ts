/**
 * The statement of a repo listing. Public repos and each of the caller's accounts are read as streams that an index already has in order,
 * each cut at the page size, so that a page costs the same however many repos of other people lie between.
 */
import { repoViewer, type VisibleRepos } from '../auth/policy.ts'
import { type Columns, column, columns, type RowOf } from '../store/columns.ts'
import { composed, type Given, type NamedStatement, param } from '../store/statement.ts'
import { cardedColumns, type RepoKind, repoColumns, type Visibility, visibleRepo } from './repo-shape.ts'

export interface RepoFilter {
  readonly q?: string | null
  readonly kind?: RepoKind | null
  readonly ownerId?: string | null
  readonly tag?: readonly string[] | null
  readonly visibility?: Visibility | null
  readonly robot?: string | null
  readonly interfaceFingerprint?: string | null
}

export type RepoSort = 'created' | 'updated'

/** `key` is the last row of the page before: `[id]` by creation, `[updatedAt, id]` by update. */
export interface RepoPageQuery {
  readonly filter: RepoFilter
  readonly sort: RepoSort
  readonly after: readonly string[] | null
  readonly limit: number
  readonly cards: boolean
}

/** A repo, and how many rows the page had before it was cut for its size. */
const found = { found: column<number>('page.found') }
const listedColumns = repoColumns.with(found)
const cardedListing = cardedColumns.with(found)

/** What a listing can be given, whichever of it a shape uses. */
const params = {
  ...repoViewer,
  kind: param<RepoKind | null>(),
  ownerId: param<string | null>(),
  /** Of `like`. */
  pattern: param<string | null>(),
  tag: param<readonly string[] | null>(),
  /** In lower case. */
  robot: param<string | null>(),
  interfaceFingerprint: param<string | null>(),
  afterTime: param<string | null>(),
  afterId: param<string | null>(),
  limit: param<number | null>(),
}
type Values = Given<typeof params>

/** LIKE's own wildcards stand for themselves in a search. */
const likePattern = (text: string) => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

function valuesOf(viewer: VisibleRepos, { filter, sort, after, limit }: Partial<RepoPageQuery>): Values {
  const { q, kind, ownerId, tag, robot, interfaceFingerprint } = filter ?? {}
  const [last, id] = after ?? []
  return {
    ...viewer,
    kind: kind ?? null,
    ownerId: ownerId ?? null,
    pattern: q ? likePattern(q) : null,
    tag: tag ?? null,
    robot: robot?.toLowerCase() ?? null,
    interfaceFingerprint: interfaceFingerprint ?? null,
    afterTime: (sort === 'updated' && last) || null,
    afterId: (sort === 'updated' ? id : last) ?? null,
    limit: limit ?? null,
  }
}

function predicates(filter: RepoFilter): string[] {
  const found: string[] = []
  if (filter.kind) found.push('r.kind = :kind::"RepoKind"')
  if (filter.ownerId) found.push('r.owner_id = :ownerId')
  if (filter.q) found.push('(lower(r.slug) like :pattern or lower(r.description) like :pattern)')
  if (filter.tag?.length) found.push('r.tags @> :tag::text[]')
  if (filter.robot) {
    found.push(`r.id in (select repo_id from model_meta where lower(robot) = :robot
      union all select repo_id from dataset_meta where lower(robot_type) = :robot)`)
  }
  if (filter.interfaceFingerprint) {
    found.push('r.id in (select repo_id from robot_cards where interface_fingerprint = :interfaceFingerprint)')
  }
  return found
}

const order = { created: 'id desc', updated: 'updated_at desc, id desc' } as const
/** Behind the last row of the page before. */
const keyset = {
  created: 'r.id < :afterId',
  updated: '(r.updated_at, r.id) < (:afterTime::timestamptz, :afterId)',
} as const

const where = (conditions: readonly string[]) => conditions.join(' and ')

type ListedRow = RowOf<typeof listedColumns> & Partial<RowOf<typeof cardedListing>>
type PageStatement = NamedStatement<ListedRow, Values>

/** By name, which says the shape of the text: put together once. */
const prepared = new Map<string, PageStatement>()

/** The listing's statement and its values. Only the shapes that pages ask for all the time are prepared; the rest would crowd the plan caches. */
export function repoPageStatement(
  viewer: VisibleRepos,
  query: RepoPageQuery,
): { statement: PageStatement; values: Values } {
  const name = statementName(query, viewer)
  const statement = prepared.get(name) ?? pageStatement(name, viewer, query)
  if (name !== '') prepared.set(name, statement)
  return { statement, values: valuesOf(viewer, query) }
}

function pageStatement(name: string, viewer: VisibleRepos, query: RepoPageQuery): PageStatement {
  const shared = [...predicates(query.filter), ...(query.after ? [keyset[query.sort]] : [])]
  const by = order[query.sort]
  const streams: string[] = []
  if (query.filter.visibility !== 'private') {
    streams.push(`(select r.id, r.updated_at from repos r where ${where(["r.visibility = 'public'", ...shared])}
      order by ${by} limit :limit::int)`)
  }
  if (query.filter.visibility !== 'public' && viewer.accountIds.length > 0)
    streams.push(privateStream(viewer.repoIds, shared, by))
  const page = streams.length > 0 ? streams.join(' union all ') : `(select r.id, r.updated_at from repos r where false)`
  const columns: Columns<ListedRow> = isCarded(query) ? cardedListing : listedColumns
  const text = `select ${columns.sql}
    from (${bounded(`select id, updated_at from (${page}) candidates order by ${by} limit :limit::int`, query, by)}) page
    join repos r on r.id = page.id join accounts o on o.id = r.owner_id
    order by ${by.replaceAll(/\b(id|updated_at)\b/g, 'page.$1')}`
  return composed({ name, columns, params, text })
}

/** A card may have a megabyte and a page a hundred of them: a page with its cards ends early behind the one that takes it past 4 MiB. */
const MAX_CARD_BYTES = 4 * 1024 * 1024

/** Whether cards are asked for, and there can be any. */
const isCarded = ({ filter, cards }: RepoPageQuery) => cards && (!filter.kind || filter.kind === 'robot')

/**
 * The rows of a page up to that bound, each with how many there are without it. The size of a card is looked up row by row: a join is planned as a scan of
 * all cards.
 */
function bounded(page: string, query: RepoPageQuery, by: string): string {
  if (!isCarded(query)) return `select id, updated_at, count(*) over ()::int as found from (${page}) listed`
  return `select id, updated_at, found from (
      select id, updated_at, count(*) over ()::int as found,
        sum(card_bytes) over (order by ${by} rows between unbounded preceding and 1 preceding) as before
      from (select id, updated_at, (select card_bytes from robot_cards where repo_id = listed.id) from (${page}) listed) carded) sized
    where before is null or before < ${MAX_CARD_BYTES}`
}

/** The caller's private repos: one ordered stream for each account, or the few repos that a limited key lists. */
function privateStream(repoIds: readonly string[] | null, shared: readonly string[], by: string): string {
  const own = ["r.visibility = 'private'", ...shared]
  if (repoIds) {
    return `(select r.id, r.updated_at from repos r
      where ${where(['r.id = any(:repoIds::text[])', 'r.owner_id = any(:accountIds::text[])', ...own])} order by ${by} limit :limit::int)`
  }
  return `(select mine.id, mine.updated_at from unnest(:accountIds::text[]) account(id) cross join lateral (
      select r.id, r.updated_at from repos r where ${where(['r.owner_id = account.id', ...own])}
      order by ${by} limit :limit::int) mine)`
}

/** Empty where it is not worth a prepared statement. */
function statementName(query: RepoPageQuery, viewer: VisibleRepos): string {
  const { q, tag, robot, interfaceFingerprint, kind, ownerId, visibility } = query.filter
  if (q || tag?.length || robot || interfaceFingerprint) return ''
  const shape = [
    kind && 'k',
    isCarded(query) && 'c',
    ownerId && 'o',
    visibility,
    query.after && 'a',
    viewer.accountIds.length > 0 && 'm',
    viewer.repoIds && 'l',
  ]
  return `repo-page-${query.sort}-${shape.filter(Boolean).join('')}`
}

/** How many repos there are, and the 100 most frequent tags; the tags are typed by the statement, which writes them. */
const facetColumns = columns({
  total: column<number>('(select count(*)::int from counted)'),
  tags: column<readonly { readonly value: string; readonly count: number }[]>(
    `coalesce((select json_agg(json_build_object('value', value, 'count', count) order by count desc, value collate "C") from buckets), '[]')`,
  ),
})

/** Facets ignore `q`, `tag`, `visibility` and `robot`: what is left of the filter, over everything visible. One pass, only when asked for. */
export function repoFacetStatement(
  viewer: VisibleRepos,
  { kind, ownerId, interfaceFingerprint }: RepoFilter,
): { statement: NamedStatement<RowOf<typeof facetColumns>, Values>; values: Values } {
  const filter = { kind, ownerId, interfaceFingerprint }
  const text = `with counted as (select r.id, r.tags from repos r where ${where([visibleRepo, ...predicates(filter)])}),
    buckets as (select tag as value, count(*)::int as count from counted, unnest(tags) tag group by tag order by count(*) desc, tag collate "C" limit 100)
    select ${facetColumns.sql}`
  return {
    statement: composed({ name: '', columns: facetColumns, params, text }),
    values: valuesOf(viewer, { filter }),
  }
}
