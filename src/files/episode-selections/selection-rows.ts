/** Selections of the episodes of data sets, as rows that are never changed. Contract, "Selections of episodes". */
import { readAccount } from '../../auth/account-json.ts'
import type { RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor, type KeyPart, type Page } from '../../platform/page.ts'
import { bytesBefore, tooLargeTogether, unlessLeftOut } from '../../store/bounded-read.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

export const selectionColumns = columns({
  repoId: column.text('s.repo_id'),
  name: column.text('s.name'),
  seq: column.int4('s.seq'),
  count: column.int4('s.count'),
  total: column.int4('s.total'),
  fingerprint: column.text('s.fingerprint'),
  note: column.text.orNull('s.note'),
  createdAt: column.timestamptz('s.created_at'),
  ownerId: column.text('(select r.owner_id from repos r where r.id = s.repo_id)'),
  /** Null if the credential has no person. Only members of an org may know its people: `personFor`. */
  creator: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = s.created_by)`,
    readAccount,
  ),
})

/** Episodes of a data set under a name, of one state of its files; the list of them is read apart. */
export type EpisodeSelection = RowOf<typeof selectionColumns>

export const selectionByName = statement({
  name: 'episode-selection-by-name',
  exact: 'verb-answer',
  columns: selectionColumns,
  params: { repoId: param.text(), name: param.text() },
  text: `select ${selectionColumns.sql} from episode_selections s where s.repo_id = :repoId and s.name = :name`,
})

const row = insertInto('episode_selections', {
  repoId: param.text(),
  name: param.text(),
  seq: param.int4(),
  episodes: param.text(),
  count: param.int4(),
  total: param.int4(),
  fingerprint: param.text(),
  note: param.text.orNull(),
  createdBy: param.text.orNull(),
})

export const insertSelection = statement({ name: 'episode-selection-insert', params: row.params, text: row.sql })

const page = statement({
  name: 'episode-selections-page',
  exact: 'per-parent',
  columns: selectionColumns,
  params: { repoIds: param.texts(), only: param.text.orNull(), after: param.text(), limit: param.int8() },
  text: `select ${selectionColumns.sql} from unnest(:repoIds::text[]) as q(repo_id)
    cross join lateral (select * from episode_selections where repo_id = q.repo_id and name > :after
        and (:only::text is null or name = :only)
      order by name limit :limit) s
    order by s.repo_id, s.name`,
})

const isText = (part: KeyPart): part is string => typeof part === 'string'

/** A page of selections for each repo, by name, in the order requested. One statement. 422 `validation.cursor`. */
export async function selectionsOfRepos(
  { deps }: Pick<RequestContext, 'deps'>,
  repoIds: readonly string[],
  { limit, after, only }: { readonly limit: number; readonly after: string | null; readonly only: string | null },
): Promise<Page<EpisodeSelection>[]> {
  const [last] = after === null ? [''] : decodeCursor<[string]>('episode-selections', after, [isText])
  const rows = await deps.db.query(page, { repoIds, only, after: last, limit: limit + 1 })
  const byRepo = Map.groupBy(rows, ({ repoId }) => repoId)
  return repoIds.map((id) => {
    const found = byRepo.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: ({ name }) => encodeCursor('episode-selections', [name]),
    }
  })
}

const episodesColumns = columns({
  repoId: column.text('s.repo_id'),
  name: column.text('s.name'),
  episodes: column.text.orNull(unlessLeftOut('s.episodes')),
})

const episodesOf = statement({
  name: 'episodes-of-selections',
  exact: 'per-parent',
  columns: episodesColumns,
  params: { repoIds: param.texts(), names: param.texts() },
  text: `select ${episodesColumns.sql} from (
      select o.repo_id, o.name, ${bytesBefore('octet_length(o.episodes)', 'o.repo_id, o.name')}
      from unnest(:repoIds::text[], :names::text[]) q(repo_id, name)
      join episode_selections o on o.repo_id = q.repo_id and o.name = q.name) sized
    join episode_selections s on s.repo_id = any(array[sized.repo_id]) and s.name = any(array[sized.name])`,
})

/** The ranges of each selection that the caller sees, up to 64 KiB each; 413 for those beyond 16 MiB. One statement. */
export async function episodesOfSelections(
  { deps }: Pick<RequestContext, 'deps'>,
  selections: readonly Pick<EpisodeSelection, 'repoId' | 'name'>[],
): Promise<(string | Error)[]> {
  const asked = { repoIds: selections.map(({ repoId }) => repoId), names: selections.map(({ name }) => name) }
  const byRepo = Map.groupBy(await deps.db.query(episodesOf, asked), ({ repoId }) => repoId)
  return selections.map(({ repoId, name }) => {
    const found = byRepo.get(repoId)?.find((one) => one.name === name)
    return found ? (found.episodes ?? tooLargeTogether('selections')) : notFound(`The selection ${name}`)
  })
}
