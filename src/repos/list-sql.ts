/**
 * The statement of a repo listing. Public repos and each of the caller's accounts are read as streams that an index already has in order,
 * each cut at the page size, so that a page costs the same however many repos of other people lie between.
 */
import type { Statement } from '../store/db.ts'
import { type RepoKind, type RepoRow, repoColumns, type Visibility } from './repo-shape.ts'

export interface RepoFilter {
  readonly q?: string | null
  readonly kind?: RepoKind | null
  readonly ownerId?: string | null
  readonly tag?: readonly string[] | null
  readonly visibility?: Visibility | null
  readonly robot?: string | null
  readonly interfaceFingerprint?: string | null
}

/** A repo, and how many rows the page had before it was cut for its size. */
type ListedRow = readonly [...repo: RepoRow, found: number]
export const FOUND = 17

export type RepoSort = 'created' | 'updated'

/** `key` is the last row of the page before: `[id]` by creation, `[updatedAt, id]` by update. */
export interface RepoPageQuery {
  readonly filter: RepoFilter
  readonly sort: RepoSort
  readonly after: readonly (string | number | null)[] | null
  readonly limit: number
}

/** Parameters collect here; `$1` and `$2` belong to the viewer. */
class Params {
  readonly values: unknown[]

  constructor(viewer: readonly unknown[]) {
    this.values = [...viewer]
  }

  add(value: unknown, cast = ''): string {
    this.values.push(value)
    return `$${this.values.length}${cast}`
  }
}

/** LIKE's own wildcards stand for themselves in a search. */
const likePattern = (text: string) => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

function predicates(filter: RepoFilter, params: Params): string[] {
  const found: string[] = []
  if (filter.kind) found.push(`r.kind = ${params.add(filter.kind, '::"RepoKind"')}`)
  if (filter.ownerId) found.push(`r.owner_id = ${params.add(filter.ownerId)}`)
  if (filter.q) {
    const pattern = params.add(likePattern(filter.q))
    found.push(`(lower(r.slug) like ${pattern} or lower(r.description) like ${pattern})`)
  }
  if (filter.tag?.length) found.push(`r.tags @> ${params.add(filter.tag, '::text[]')}`)
  if (filter.robot) {
    const robot = params.add(filter.robot.toLowerCase())
    found.push(`r.id in (select repo_id from model_meta where lower(robot) = ${robot}
      union all select repo_id from dataset_meta where lower(robot_type) = ${robot})`)
  }
  if (filter.interfaceFingerprint) {
    found.push(
      `r.id in (select repo_id from robot_cards where interface_fingerprint = ${params.add(filter.interfaceFingerprint)})`,
    )
  }
  return found
}

const order = { created: 'id desc', updated: 'updated_at desc, id desc' } as const

function keyset(query: RepoPageQuery, params: Params): string[] {
  if (!query.after) return []
  if (query.sort === 'created') return [`r.id < ${params.add(query.after[0])}`]
  const at = params.add(query.after[0], '::timestamptz')
  return [`(r.updated_at, r.id) < (${at}, ${params.add(query.after[1])})`]
}

const where = (conditions: readonly string[]) => conditions.join(' and ')

/** The listing's statement and its values. Only the shapes that pages ask for all the time are prepared; the rest would crowd the plan caches. */
export function repoPageStatement(
  viewer: readonly [readonly string[], readonly string[] | null],
  query: RepoPageQuery,
): { statement: Statement<ListedRow>; values: unknown[] } {
  const params = new Params(viewer)
  const shared = [...predicates(query.filter, params), ...keyset(query, params)]
  const limit = params.add(query.limit, '::int')
  const by = order[query.sort]
  const streams: string[] = []
  if (query.filter.visibility !== 'private') {
    streams.push(`(select r.id, r.updated_at from repos r where ${where(["r.visibility = 'public'", ...shared])}
      order by ${by} limit ${limit})`)
  }
  if (query.filter.visibility !== 'public' && viewer[0].length > 0)
    streams.push(privateStream(viewer[1], shared, by, limit))
  const page = streams.length > 0 ? streams.join(' union all ') : `(select r.id, r.updated_at from repos r where false)`
  const text = `select ${repoColumns}, page.found
    from (${bounded(`select id, updated_at from (${page}) candidates order by ${by} limit ${limit}`, query, by)}) page
    join repos r on r.id = page.id join accounts o on o.id = r.owner_id
    order by ${by.replaceAll(/\b(id|updated_at)\b/g, 'page.$1')}`
  return { statement: { name: statementName(query, viewer), rows: 'array', text }, values: params.values }
}

/** A card may have a megabyte and a page a hundred of them: a page ends early behind the card that takes it past 4 MiB. */
const MAX_CARD_BYTES = 4 * 1024 * 1024

const isBounded = ({ filter }: RepoPageQuery) => !filter.kind || filter.kind === 'robot'

/**
 * The rows of a page up to that bound, each with how many there are without it. The size of a card is looked up row by row: a join is planned as a scan of
 * all cards.
 */
function bounded(page: string, query: RepoPageQuery, by: string): string {
  if (!isBounded(query)) return `select id, updated_at, count(*) over ()::int as found from (${page}) listed`
  return `select id, updated_at, found from (
      select id, updated_at, count(*) over ()::int as found,
        sum(card_bytes) over (order by ${by} rows between unbounded preceding and 1 preceding) as before
      from (select id, updated_at, (select card_bytes from robot_cards where repo_id = listed.id) from (${page}) listed) carded) sized
    where before is null or before < ${MAX_CARD_BYTES}`
}

/** The caller's private repos: one ordered stream for each account, or the few repos that a limited key lists. */
function privateStream(
  repoIds: readonly string[] | null,
  shared: readonly string[],
  by: string,
  limit: string,
): string {
  const own = ["r.visibility = 'private'", ...shared]
  if (repoIds) {
    return `(select r.id, r.updated_at from repos r
      where ${where(['r.id = any($2::text[])', 'r.owner_id = any($1::text[])', ...own])} order by ${by} limit ${limit})`
  }
  return `(select mine.id, mine.updated_at from unnest($1::text[]) account(id) cross join lateral (
      select r.id, r.updated_at from repos r where ${where(['r.owner_id = account.id', ...own])}
      order by ${by} limit ${limit}) mine)`
}

/** Empty where it is not worth a prepared statement. */
function statementName(query: RepoPageQuery, viewer: readonly [readonly string[], readonly string[] | null]): string {
  const { q, tag, robot, interfaceFingerprint, kind, ownerId, visibility } = query.filter
  if (q || tag?.length || robot || interfaceFingerprint) return ''
  const shape = [
    kind && (isBounded(query) ? 'r' : 'k'),
    ownerId && 'o',
    visibility,
    query.after && 'a',
    viewer[0].length > 0 && 'm',
    viewer[1] && 'l',
  ]
  return `repo-page-${query.sort}-${shape.filter(Boolean).join('')}`
}

/** Facets ignore `q`, `tag`, `visibility` and `robot`: what is left of the filter, over everything visible. One pass, only when asked for. */
export function repoFacetStatement(
  viewer: readonly [readonly string[], readonly string[] | null],
  visible: string,
  filter: RepoFilter,
): { statement: Statement<{ total: number; tags: { value: string; count: number }[] }>; values: unknown[] } {
  const params = new Params(viewer)
  const counted = predicates(
    { kind: filter.kind, ownerId: filter.ownerId, interfaceFingerprint: filter.interfaceFingerprint },
    params,
  )
  const text = `with counted as (select r.id, r.tags from repos r where ${where([visible, ...counted])}),
    buckets as (select tag as value, count(*)::int as count from counted, unnest(tags) tag group by tag order by count(*) desc, tag collate "C" limit 100)
    select (select count(*)::int from counted) as total,
      coalesce((select json_agg(json_build_object('value', value, 'count', count) order by count desc, value collate "C") from buckets), '[]') as tags`
  return { statement: { name: '', text }, values: params.values }
}
