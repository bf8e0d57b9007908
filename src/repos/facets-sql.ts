/**
 * Counts of the repos that a caller sees. They are kept: `repo_facets` has them by owner, visibility and kind, for all
 * public repos under an owner without a name, and `repo_facet_changes` has what is not folded into it yet. A statement
 * adds both in one snapshot, so a count is exact, and reads as many rows as there are words and not repos.
 */

import { repoViewer, type VisibleRepos } from '../auth/policy.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { insertSelected, sql } from '../store/insert.ts'
import { listOf, number, objectOf, text } from '../store/read-json.ts'
import { composed, type Given, type NamedStatement, param } from '../store/statement.ts'
import { type RepoKind, visibleRepo } from './repo-shape.ts'

/** The part of a filter that facets apply. */
export interface FacetFilter {
  readonly kind?: RepoKind | null
  readonly ownerId?: string | null
  readonly interfaceFingerprint?: string | null
}

const params = {
  ...repoViewer,
  kind: param.enum.orNull('RepoKind'),
  ownerId: param.text.orNull(),
  interfaceFingerprint: param.text.orNull(),
}
type Values = Given<typeof params>

const MAX_BUCKETS = 100

/** The buckets among the rows `(facet, value, n)` of `summed`, none of which is negative or null. */
const bucketsOf = (facet: 'tag' | 'license') =>
  column.json(
    `coalesce((select json_agg(json_build_object('value', value, 'count', n) order by n desc, value collate "C")
      from (select value, n from summed where facet = '${facet}' and n > 0
        order by n desc, value collate "C" limit ${MAX_BUCKETS}) of_${facet}), '[]')`,
    listOf(objectOf<{ readonly value: string; readonly count: number }>({ value: text, count: number })),
  )

/** The number of repos, and their 100 most frequent tags and licenses; the statement guarantees the type of these. */
const facetColumns = columns({
  total: column.int4(`coalesce((select n::int from summed where facet = 'total'), 0)`),
  tags: bucketsOf('tag'),
  licenses: bucketsOf('license'),
})

type FacetStatement = NamedStatement<RowOf<typeof facetColumns>, Values>

/** Each word that a row of `repo_facet_changes` counts. */
const wordsOf = (alias: string) => `(select 'total' as facet, '' as value
    union all select 'tag', word from unnest(${alias}.tags) word
    union all select 'license', word from unnest(${alias}.licenses) word)`

/** The same of a row of `repos`. */
const wordsOfRepo = `(select 'total' as facet, '' as value
    union all select 'tag', word from unnest(facet_tags(r.tags, r.card_tags)) word
    union all select 'license', word from unnest(facet_licenses(r.card_labels)) word)`

/**
 * `interfaceFingerprint` is not part of the counts: the robots that have the interface are found by its index, and
 * counted.
 */
function countedRepos({ kind, ownerId }: FacetFilter): string {
  const conditions = [
    visibleRepo,
    ...(kind ? ['r.kind = :kind::"RepoKind"'] : []),
    ...(ownerId ? ['r.owner_id = :ownerId'] : []),
    'r.id = any(array(select repo_id from robot_cards where interface_fingerprint = :interfaceFingerprint))',
  ]
  return `with summed as (select w.facet, w.value, count(*) as n
      from repos r cross join lateral ${wordsOfRepo} w where ${conditions.join(' and ')} group by w.facet, w.value)
    select ${facetColumns.sql}`
}

/** Rows `(facet, value, n)` of the caller's private repos. */
function privateCounts({ repoIds }: VisibleRepos, { kind, ownerId }: FacetFilter): string {
  const ofKind = kind ? 'and r.kind = :kind::"RepoKind"' : ''
  if (repoIds)
    return `select w.facet, w.value, 1 as n from repos r cross join lateral ${wordsOfRepo} w
      where r.id = any(:repoIds::text[]) and r.owner_id = any(:accountIds::text[]) and r.visibility = 'private'
        ${ofKind} ${ownerId ? 'and r.owner_id = :ownerId' : ''}`
  return `select k.facet, k.value, k.n from unnest(:accountIds::text[]) account(id)
    cross join lateral (select f.facet, f.value, f.n from repo_facets f where f.owner_id = account.id
      and f.visibility = 'private' and f.kind = ${keptKind(kind)} offset 0) k
    ${ownerId ? 'where account.id = :ownerId' : ''}`
}

const keptKind = (kind: RepoKind | null | undefined) => (kind ? ':kind::"RepoKind"::text' : `''`)

/**
 * `added` is what the counts of public repos do not have: private repos, and changes that are not folded in. Of a word
 * that is not in it, the count is the public one; so the words of the answer are among those, and as many of the most
 * frequent public ones as the answer has, and one more for each that `added` makes less.
 */
function keptCounts(viewer: VisibleRepos, filter: FacetFilter): string {
  const { kind, ownerId } = filter
  const sees = viewer.repoIds
    ? `c.visibility = 'public'`
    : `(c.visibility = 'public' or c.owner_id = any(:accountIds::text[]))`
  const changed = [sees, ...(kind ? ['c.kind = :kind::"RepoKind"'] : []), ...(ownerId ? ['c.owner_id = :ownerId'] : [])]
  const isPublic = `p.owner_id = ${ownerId ? ':ownerId' : `''`} and p.visibility = 'public' and p.kind = ${keptKind(kind)}`
  const most = (facet: 'tag' | 'license') => `(select p.facet, p.value from repo_facets p
      where ${isPublic} and p.facet = '${facet}' order by p.n desc, p.value
      limit ${MAX_BUCKETS} + (select count(*) from added where facet = '${facet}' and n < 0))`
  return `with added as (select facet, value, sum(n) as n from (
        ${privateCounts(viewer, filter)}
        union all select w.facet, w.value, c.n from repo_facet_changes c cross join lateral ${wordsOf('c')} w
          where ${changed.join(' and ')}) parts
      group by facet, value),
    shown as (select 'total' as facet, '' as value union select facet, value from added
      union ${most('tag')} union ${most('license')}),
    summed as (select s.facet, s.value, coalesce(k.n, 0) + coalesce(a.n, 0) as n
      from shown s left join added a on a.facet = s.facet and a.value = s.value
      left join lateral (select p.n from repo_facets p where ${isPublic} and p.facet = s.facet and p.value = s.value
        offset 0) k on true)
    select ${facetColumns.sql}`
}

/**
 * Facets apply the filter without `q`, `tag`, `license`, `label`, `visibility` and `robot` to all visible repos. Only
 * on request.
 */
export function repoFacetStatement(
  viewer: VisibleRepos,
  { kind, ownerId, interfaceFingerprint }: FacetFilter,
): { statement: FacetStatement; values: Values } {
  const filter = { kind, ownerId, interfaceFingerprint }
  const text = interfaceFingerprint ? countedRepos(filter) : keptCounts(viewer, filter)
  return {
    statement: composed({ name: '', exact: 'aggregate', columns: facetColumns, params, text }),
    values: {
      ...viewer,
      kind: kind ?? null,
      ownerId: ownerId ?? null,
      interfaceFingerprint: interfaceFingerprint ?? null,
    },
  }
}

const foldedColumns = columns({ taken: column.int4('(select count(*)::int from taken)') })

const folded = insertSelected('repo_facets as f', {
  ownerId: sql('owner_id'),
  visibility: sql('visibility'),
  kind: sql('kind'),
  facet: sql('facet'),
  value: sql('value'),
  n: sql('n'),
})

/** Adds some of the changes to the counts, the oldest first; another fold that runs meanwhile takes others. */
export const foldRepoFacets = (batch: number) =>
  composed({
    name: 'repo-facets-fold',
    columns: foldedColumns,
    params: {},
    text: `with taken as (delete from repo_facet_changes where id = any(array(
        select id from repo_facet_changes order by id limit ${batch} for update skip locked)) returning *),
      counted as (select s.owner_id, t.visibility, k.kind, w.facet, w.value, sum(t.n) as n
        from taken t cross join lateral (values (t.owner_id), ('')) s(owner_id)
        cross join lateral (values (t.kind::text), ('')) k(kind) cross join lateral ${wordsOf('t')} w
        where s.owner_id <> '' or t.visibility = 'public'
        group by s.owner_id, t.visibility, k.kind, w.facet, w.value having sum(t.n) <> 0),
      kept as (${folded.sql} from counted order by 1, 2, 3, 4, 5
        on conflict (owner_id, visibility, kind, facet, value) do update set n = f.n + excluded.n)
      select ${foldedColumns.sql}`,
  })
