/** The labels of episodes, page by page: those that are current, and all that ever were. */

import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type KeyPart, type Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import { type EpisodeLabel, labelColumns } from './label-rows.ts'

const currentPage = statement({
  name: 'episode-labels-page',
  exact: 'per-parent',
  columns: labelColumns,
  params: { repoIds: param.texts(), after: param.int4(), limit: param.int8() },
  text: `select ${labelColumns.sql} from unnest(:repoIds::text[]) as q(repo_id)
    cross join lateral (select * from episode_labels where repo_id = q.repo_id and is_current and episode > :after
      order by episode limit :limit) l
    order by l.repo_id, l.episode`,
})

const historyPage = statement({
  name: 'episode-label-history-page',
  exact: 'per-parent',
  columns: labelColumns,
  params: { repoIds: param.texts(), after: param.text.orNull(), limit: param.int8() },
  text: `select ${labelColumns.sql} from unnest(:repoIds::text[]) as q(repo_id)
    cross join lateral (select * from episode_labels
      where repo_id = q.repo_id and id < coalesce(:after::text, 'label_z')
      order by id desc limit :limit) l
    order by l.repo_id, l.id desc`,
})

interface PageOptions {
  readonly limit: number
  readonly after: string | null
}

/** A page of current labels for each repo, by episode, in the order requested. One statement. 422 `validation.cursor`. */
export async function labelsOfRepos(
  { deps }: Pick<RequestContext, 'deps'>,
  repoIds: readonly string[],
  { limit, after }: PageOptions,
): Promise<Page<EpisodeLabel>[]> {
  const [last] = after === null ? [-1] : decodeCursor<[number]>('episode-labels', after, [isEpisode])
  const rows = await deps.db.query(currentPage, { repoIds, after: last, limit: limit + 1 })
  return pagesOf(repoIds, rows, limit, ({ episode }) => encodeCursor('episode-labels', [episode]))
}

/** A page of all labels for each repo, newest first, in the order requested. One statement. 422 `validation.cursor`. */
export async function labelHistoryOfRepos(
  { deps }: Pick<RequestContext, 'deps'>,
  repoIds: readonly string[],
  { limit, after }: PageOptions,
): Promise<Page<EpisodeLabel>[]> {
  const [last] = after === null ? [null] : decodeCursor<[string]>('episode-label-history', after, [idPart('label')])
  const rows = await deps.db.query(historyPage, { repoIds, after: last, limit: limit + 1 })
  return pagesOf(repoIds, rows, limit, ({ id }) => encodeCursor('episode-label-history', [id]))
}

const isEpisode = (part: KeyPart): part is number =>
  typeof part === 'number' && Number.isInteger(part) && part >= 0 && part < 2 ** 31

function pagesOf(
  repoIds: readonly string[],
  rows: readonly EpisodeLabel[],
  limit: number,
  cursorOf: (label: EpisodeLabel) => string,
): Page<EpisodeLabel>[] {
  const byRepo = Map.groupBy(rows, (row) => row.repoId)
  return repoIds.map((id) => {
    const found = byRepo.get(id) ?? []
    return { nodes: found.slice(0, limit), hasNextPage: found.length > limit, cursorOf }
  })
}
