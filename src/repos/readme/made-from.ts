/** The repos whose cards say that they are made from a repo: `reposOfSources` from the other end. Contract, "Lineage". */
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { column } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { type Repo, repoColumns, toRepo, visibleRepo } from '../repo-shape.ts'

export interface MadeFromInput {
  readonly first?: number | null
  readonly after?: string | null
}

const madeColumns = repoColumns.with({ of: column.text('key.id') })

/** The labels that name the repo `key`: as it is called now, in both ways, and as it was called while no one else is. */
const labelsOfSource = `(select case s.kind when 'dataset' then 'dataset:' else 'base_model:' end || named.name collate "default" as label
      from repos s join accounts so on so.id = s.owner_id cross join lateral (
        select so.handle || '/' || s.slug as name
        union all select so.handle || '/' || lower(s.hf_name) where s.hf_name is not null
        union all select no.handle || '/' || n.slug from repo_old_names n join accounts no on no.id = n.owner_id
          where n.repo_id = s.id
            and not exists (select 1 from repos t where t.owner_id = n.owner_id and t.slug = n.slug)) named
      where s.id = key.id and s.kind in ('dataset', 'model'))`

/**
 * All that name the repo are found by the index of labels before they are sorted: by their order, the planner may read
 * through all repos for a few. Slugs are of the collation "C", and the index is not.
 */
export const madeFrom = statement({
  name: 'repos-made-from-page',
  exact: 'per-parent',
  columns: madeColumns,
  params: { ...repoViewer, of: param.texts(), after: param.text.orNull(), limit: param.int4() },
  text: `select ${madeColumns.sql} from unnest(:of::text[]) key(id)
    cross join lateral (select distinct few.id from ${labelsOfSource} source
        cross join lateral (select r.id from repos r
          where (r.tags || r.card_tags || r.card_labels) @> array[source.label] and r.card_labels @> array[source.label]
            and r.id <> key.id and (:after::text is null or r.id < :after) and ${visibleRepo} offset 0) few
      order by few.id desc limit :limit::int) page
    join repos r on r.id = page.id join accounts o on o.id = r.owner_id order by key.id, page.id desc`,
})

const LISTING = 'repos-made-from'
const isRepoId = idPart('repo')

/**
 * The repos made from each of these that the caller sees, newest first. One statement for any number. Errors: 422 a
 * cursor of another listing.
 */
export async function reposMadeFrom(
  ctx: RequestContext,
  of: readonly string[],
  { first, after }: MadeFromInput,
): Promise<Page<Repo>[]> {
  const [last = null] = after ? decodeCursor<[string]>(LISTING, after, [isRepoId]) : []
  const limit = first ?? DEFAULT_PAGE_SIZE
  const values = { ...visibleRepos(ctx.viewer), of, after: last, limit: limit + 1 }
  const found = Map.groupBy(await ctx.deps.db.query(madeFrom, values), (row) => row.of)
  return of.map((id) => {
    const rows = found.get(id) ?? []
    return {
      nodes: rows.slice(0, limit).map((row) => toRepo(row)),
      hasNextPage: rows.length > limit,
      cursorOf: (repo) => encodeCursor(LISTING, [repo.id]),
    }
  })
}
