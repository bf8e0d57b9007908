/**
 * Statements of a repo listing. Public repos and the repos of each account of the caller are separate index scans in
 * sort order, each limited to the page size, so that the cost of a page does not depend on repos invisible to the
 * caller.
 */

import { repoViewer, type VisibleRepos } from '../auth/policy.ts'
import { type Columns, column, type RowOf } from '../store/columns.ts'
import { composed, firstOf, type Given, type NamedStatement, param } from '../store/statement.ts'
import { namesRobot } from './named-repo.ts'
import { plainColumns, type RepoKind, type Visibility } from './plain-repo.ts'
import { cardedColumns, repoColumns } from './repo-shape.ts'
import { searchWays } from './search-ways.ts'

export interface RepoFilter {
  readonly q?: string | null
  readonly kind?: RepoKind | null
  readonly ownerId?: string | null
  readonly tag?: readonly string[] | null
  readonly license?: string | null
  readonly label?: readonly string[] | null
  readonly visibility?: Visibility | null
  readonly robot?: string | null
  readonly interfaceFingerprint?: string | null
}

export type RepoSort = 'created' | 'updated'

/** `key` is the last row of the previous page: `[id]` by creation, `[updatedAt, id]` by update. */
export interface RepoPageQuery {
  readonly filter: RepoFilter
  readonly sort: RepoSort
  readonly after: readonly string[] | null
  readonly limit: number
  readonly cards: boolean
  /** The key of the last row that the page looks at; absent: of any. */
  readonly until?: readonly string[] | null
}

/** A page of rows with the plain columns alone. */
interface PlainPageQuery extends RepoPageQuery {
  readonly cards: false
  readonly isPlain: true
}

type AnyPageQuery = RepoPageQuery & { readonly isPlain?: true }

/** A repo, and the number of rows of the page before its size limit was applied. */
const found = { found: column.int4('page.found') }
const listedColumns = repoColumns.with(found)
const cardedListing = cardedColumns.with(found)
const plainListing = plainColumns.with(found)

/** All parameters of a listing; each statement uses some of them. */
export const params = {
  ...repoViewer,
  kind: param.enum.orNull('RepoKind'),
  ownerId: param.text.orNull(),
  /** The pattern of a search. */
  pattern: param.text.orNull(),
  /** The pattern of what a name of another client with the searched text has as its slug. */
  slugPattern: param.text.orNull(),
  tag: param.texts.orNull(),
  /** In lower case. */
  label: param.texts.orNull(),
  /** The robot filter in lower case. */
  robot: param.text.orNull(),
  interfaceFingerprint: param.text.orNull(),
  afterTime: param.timestamptz.orNull(),
  afterId: param.text.orNull(),
  untilTime: param.timestamptz.orNull(),
  untilId: param.text.orNull(),
  limit: param.int4.orNull(),
}
export type Values = Given<typeof params>

/**
 * A search as a regular expression without any sign that means something else. Its time grows with the length of a text
 * alone; that of `like` grows with the length of what is searched as well: 200 letters took 1.3 ms for each description
 * of 4,000, and take 0.2 ms.
 */
const searchPattern = (text: string) => `***=${text.toLowerCase()}`
/** Slugs have no such sign: they have `-` in its place (`slugOfName`). */
const OTHER_SIGNS = /[._]/g
const hasOtherSigns = (text: string) => text.search(OTHER_SIGNS) >= 0
/** The same text as a list of one tag. */
const searchedWord = 'array[substr(:pattern::text, 5)]'

/** The values of `params`. */
export function valuesOf(viewer: VisibleRepos, { filter, sort, after, limit, until }: Partial<RepoPageQuery>): Values {
  const { q, kind, ownerId, tag, license, label, robot, interfaceFingerprint } = filter ?? {}
  const labels = [...(label ?? []), ...(license ? [`license:${license}`] : [])]
  const [last, id] = after ?? []
  const [end, endId] = until ?? []
  return {
    ...viewer,
    kind: kind ?? null,
    ownerId: ownerId ?? null,
    pattern: q ? searchPattern(q) : null,
    slugPattern: q && hasOtherSigns(q) ? searchPattern(q.replaceAll(OTHER_SIGNS, '-')) : null,
    tag: tag?.map((one) => one.toLowerCase()) ?? null,
    label: labels.map((one) => one.toLowerCase()),
    robot: robot?.toLowerCase() ?? null,
    interfaceFingerprint: interfaceFingerprint ?? null,
    afterTime: (sort === 'updated' && last) || null,
    afterId: (sort === 'updated' ? id : last) ?? null,
    untilTime: (sort === 'updated' && end) || null,
    untilId: (sort === 'updated' ? endId : end) ?? null,
    limit: limit ?? null,
  }
}

/** What a repo can be found by, with one index: both kinds of tag, and the labels of its card. */
const hasLabels = (words: string) => `(r.tags || r.card_tags || r.card_labels) @> ${words}::text[]`
const hasTags = (words: string) => `(r.tags || r.card_tags) @> ${words}::text[]`

/** The conditions of a filter on the repo `r`. */
export function predicates(filter: RepoFilter): string[] {
  const found: string[] = []
  if (filter.kind) found.push('r.kind = :kind::"RepoKind"')
  if (filter.ownerId) found.push('r.owner_id = any(array[:ownerId::text])')
  if (filter.q) {
    // A name has the text exactly where its slug does, save for these signs. The index of slugs finds both.
    const named = hasOtherSigns(filter.q) ? 'or (lower(r.slug) ~ :slugPattern and lower(r.hf_name) ~ :pattern)' : ''
    found.push(
      `(lower(r.slug) ~ :pattern or lower(r.description) ~ :pattern ${named}
        or (${hasLabels(searchedWord)} and ${hasTags(searchedWord)}))`,
    )
  }
  if (filter.tag?.length) found.push(hasLabels(':tag'), hasTags(':tag'))
  if (filter.license || filter.label?.length) found.push(hasLabels(':label'))
  if (filter.robot) {
    const models = namesRobot('m', ':robot').map((condition) => `select m.repo_id from model_meta m where ${condition}`)
    const datasets = 'select repo_id from dataset_meta where lower(robot_type) = :robot'
    // As a list, which the planner takes for a short one: what names a robot is read, however much else there is.
    found.push(`r.id = any(array(${[...models, datasets].join(' union all ')}))`)
  }
  if (filter.interfaceFingerprint) {
    found.push('r.id in (select repo_id from robot_cards where interface_fingerprint = :interfaceFingerprint)')
  }
  return found
}

export const order = { created: 'id desc', updated: 'updated_at desc, id desc' } as const
/** The condition for rows after the last row of the previous page. */
export const keyset = {
  created: 'r.id < :afterId',
  updated: '(r.updated_at, r.id) < (:afterTime::timestamptz, :afterId)',
} as const

/** The condition for rows up to the last one that the page looks at. */
const upTo = {
  created: 'r.id >= :untilId',
  updated: '(r.updated_at, r.id) >= (:untilTime::timestamptz, :untilId)',
} as const

/**
 * The order within one owner's repos, by all columns of their index. With only an equality on the owner, the planner
 * may read through the repos of all owners by their ids.
 */
export const withinOwner = (by: string) => `r.owner_id, ${by}`

export const where = (conditions: readonly string[]) => conditions.join(' and ')

type ListedRow = RowOf<typeof listedColumns> & Partial<RowOf<typeof cardedListing>>
type PlainListedRow = RowOf<typeof plainListing>
type PageStatement<Row> = NamedStatement<Row, Values>

/**
 * A page of 100, and one row that shows whether another page follows. With a constant the planner knows that the rows
 * are few; for `:limit` it expects a tenth of all repos, and reads them.
 */
const MAX_ROWS = 101

/** Cached by name, which encodes the shape of the SQL text. */
const prepared = new Map<string, PageStatement<PlainListedRow>>()

/**
 * The statement of a listing and its values. Only frequent shapes are prepared; the rest would crowd the plan caches.
 */
export function repoPageStatement(
  viewer: VisibleRepos,
  query: PlainPageQuery,
): { statement: PageStatement<PlainListedRow>; values: Values }
/** The same with all that a repo has. */
export function repoPageStatement(
  viewer: VisibleRepos,
  query: RepoPageQuery,
): { statement: PageStatement<ListedRow>; values: Values }
/** The statement of both. */
export function repoPageStatement(viewer: VisibleRepos, query: AnyPageQuery): unknown {
  const values = valuesOf(viewer, query)
  const name = statementName(query, viewer)
  const statement = prepared.get(name) ?? pageStatement(name, viewer, query)
  if (name !== '') prepared.set(name, statement)
  return { statement, values }
}

function columnsOf({ cards, isPlain }: AnyPageQuery): Columns<PlainListedRow> {
  if (isPlain) return plainListing
  return cards ? cardedListing : listedColumns
}

function pageStatement(name: string, viewer: VisibleRepos, query: AnyPageQuery): PageStatement<PlainListedRow> {
  const within = [...(query.after ? [keyset[query.sort]] : []), ...(query.until ? [upTo[query.sort]] : [])]
  const found = [...predicates(query.filter), ...within]
  const by = order[query.sort]
  const ways = searchWays(viewer, query.filter, predicates(query.filter))
  const streams: string[] = ways
    ? [`(select r.id, r.updated_at from repos r where ${where([ways.few, ...within])})`]
    : []
  const shared = ways ? [ways.many, ...found] : found
  if (query.filter.visibility !== 'private') {
    streams.push(
      `(${firstOf(
        `select r.id, r.updated_at from repos r where ${where(["r.visibility = 'public'", ...shared])}
      order by ${query.filter.ownerId ? withinOwner(by) : by}`,
        MAX_ROWS,
      )})`,
    )
  }
  if (query.filter.visibility !== 'public' && viewer.accountIds.length > 0)
    streams.push(privateStream(viewer.repoIds, shared, by))
  const page = streams.length > 0 ? streams.join(' union all ') : `(select r.id, r.updated_at from repos r where false)`
  // `offset 0` makes it a look-up of each row: as a join it may be a merge, which reads all repos that are newer than
  // the page, or compare each row with every repo, where the planner expects few of either.
  const listed = columnsOf(query)
  const text = `${ways ? `with ${ways.hits} ` : ''}select ${listed.sql}
    from (${bounded(`select id, updated_at from (${page}) candidates order by ${by} limit (select :limit::int)`, query, by)}
      limit ${MAX_ROWS}) page
    cross join lateral (select * from repos where id = page.id offset 0) r join accounts o on o.id = r.owner_id
    order by ${by.replaceAll(/\b(id|updated_at)\b/g, 'page.$1')}`
  return composed({ name, columns: listed, params, text })
}

/**
 * A card can be a megabyte long, and a page can have 100 of them: a page with cards ends early, after the card that
 * exceeds 4 MiB.
 */
const MAX_CARD_BYTES = 4 * 1024 * 1024

/** Robots have cards of their own. */
const mayBeRobots = ({ filter }: RepoPageQuery) => !filter.kind || filter.kind === 'robot'

/** Bytes of the cards of the row `listed`. */
const cardBytes = (query: RepoPageQuery) =>
  ['(select card_bytes from repos where id = listed.id)']
    .concat(mayBeRobots(query) ? 'coalesce((select card_bytes from robot_cards where repo_id = listed.id), 0)' : [])
    .join(' + ')

/**
 * The rows of a page up to `MAX_CARD_BYTES`, each with the row count without that limit. Card sizes are looked up row
 * by row: a join is planned as a scan of all cards.
 */
function bounded(page: string, query: RepoPageQuery, by: string): string {
  if (!query.cards) return `select id, updated_at, count(*) over ()::int as found from (${page}) listed`
  return `select id, updated_at, found from (
      select id, updated_at, count(*) over ()::int as found,
        sum(card_bytes) over (order by ${by} rows between unbounded preceding and 1 preceding) as before
      from (select id, updated_at, ${cardBytes(query)} as card_bytes
        from (${page}) listed) carded) sized
    where before is null or before < ${MAX_CARD_BYTES}`
}

/** The caller's private repos: one ordered scan per account, or the few repos of a limited key. */
function privateStream(repoIds: readonly string[] | null, shared: readonly string[], by: string): string {
  const own = ["r.visibility = 'private'", ...shared]
  if (repoIds) {
    return `(${firstOf(
      `select r.id, r.updated_at from repos r
      where ${where(['r.id = any(:repoIds::text[])', 'r.owner_id = any(:accountIds::text[])', ...own])} order by ${by}`,
      MAX_ROWS,
    )})`
  }
  return `(select mine.id, mine.updated_at from unnest(:accountIds::text[]) account(id) cross join lateral (${firstOf(
    `select r.id, r.updated_at from repos r where ${where(['r.owner_id = any(array[account.id])', ...own])}
      order by ${withinOwner(by)}`,
    MAX_ROWS,
  )}) mine)`
}

/** Empty for a shape that is not prepared. */
function statementName(query: AnyPageQuery, viewer: VisibleRepos): string {
  const { q, tag, license, label, robot, interfaceFingerprint, kind, ownerId, visibility } = query.filter
  if (q || tag?.length || license || label?.length || robot || interfaceFingerprint) return ''
  const shape = [
    kind && 'k',
    query.isPlain && 'p',
    query.cards && (mayBeRobots(query) ? 'c' : 'd'),
    ownerId && 'o',
    visibility,
    query.after && 'a',
    viewer.accountIds.length > 0 && 'm',
    viewer.repoIds && 'l',
  ]
  return `repo-page-${query.sort}-${shape.filter(Boolean).join('')}`
}
