/** Films of episodes as rows, each with the names that its data set, or its model, and its robot have now. */
import { repoOwnSql, repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { type HubError, notFound } from '../platform/errors.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type LeasedKind, leasedColumns } from '../work/leased-row.ts'

/** Assignments that forget what a worker announced where `condition` holds: who writes them aborts its upload. */
export const withoutBytes = (condition: string): string =>
  ['storage_key', 'store_upload_id', 'size', 'sha256']
    .map((name) => `${name} = case when ${condition} then null else f.${name} end`)
    .join(', ')

/** The robot of a film: its own, or that of the result which keeps the episode; null once the result is gone. */
export const robotOfSql = (f: string): string =>
  `coalesce(${f}.robot_repo_id, (select kx.robot_repo_id from rollout_episodes kk join rollouts kx on kx.id = kk.rollout_id
      where kk.id = ${f}.kept_id))`

/** Whether the data set `r` and the robot `b` are as the film shows them. A result names its versions, and never changes. */
export const isAsItWasSql = (f: string, r: string, b: string): string =>
  `(${f}.kept_id is not null or ${r}.seq = ${f}.seq and ${b}.seq is not distinct from ${f}.robot_seq)`

/**
 * Of `f`, its repo `r` of the account `o`, the kept episode `k` of a result, and its robot `b` of the account `bo` where
 * the caller sees it.
 */
export const filmColumns = columns({
  ...leasedColumns('f'),
  id: column.text('f.id'),
  ownerId: column.text('f.owner_id'),
  /** Null where it is hidden from the caller, or gone: then nothing that shows it is told. */
  robot: column.text.orNull("bo.handle || '/' || b.slug"),
  mapVersion: column.int4('f.map_version'),
  kind: column.enum('EpisodeFilmKind', 'f.kind'),
  /** Of a kept one its seed. */
  episode: column.int4('coalesce(f.episode, k.seed)'),
  /** The result that keeps the episode; null for one of a data set, and once the result is gone. */
  rolloutId: column.text.orNull('k.rollout_id'),
  frame: column.int4('f.frame'),
  storageKey: column.text.orNull('f.storage_key'),
  storeUploadId: column.text.orNull('f.store_upload_id'),
  size: column.int4.orNull('f.size'),
  sha256: column.text.orNull('f.sha256'),
  /** Whether data set or robot have changed since; of a hidden robot that is not told. */
  isOutdated: column.bool('f.kept_id is null and (f.seq < r.seq or coalesce(f.robot_seq < b.seq, false))'),
})

/** A picture or a video of an episode: asked for, being made, or there. */
export type EpisodeFilm = RowOf<typeof filmColumns>

/** The repos of `f` and their owners; the robot's are null where the caller does not see it. */
const parties = `join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id
    left join rollout_episodes k on k.id = f.kept_id
    left join repos b on b.id = ${robotOfSql('f')} and ${repoVisibleSql('b')} left join accounts bo on bo.id = b.owner_id`

const byId = statement({
  name: 'episode-film',
  exact: 'verb-answer',
  columns: filmColumns,
  params: { ...repoViewer, repoId: param.text(), id: param.text() },
  text: `select ${filmColumns.sql} from episode_films f ${parties}
    where f.id = :id and f.repo_id = :repoId and b.id is not null`,
})

/** A film of a repo that the caller sees; null where there is none, or its robot is hidden from the caller. */
export async function readFilm(
  querier: Querier,
  viewer: Viewer,
  { repoId, id }: Pick<EpisodeFilm, 'repoId' | 'id'>,
): Promise<EpisodeFilm | null> {
  const [film = null] = await querier.query(byId, { ...visibleRepos(viewer), repoId, id })
  return film
}

const page = statement({
  name: 'episode-films-page',
  exact: 'per-parent',
  columns: filmColumns,
  params: {
    ...repoViewer,
    datasetIds: param.texts(),
    episode: param.int4.orNull(),
    rolloutId: param.text.orNull(),
    before: param.text.orNull(),
    limit: param.int8(),
  },
  text: `select ${filmColumns.sql} from unnest(:datasetIds::text[]) as q(repo_id)
    join repos d on d.id = any(array[q.repo_id])
    cross join lateral (select e.* from episode_films e left join repos eb on eb.id = any(array[${robotOfSql('e')}])
        left join rollout_episodes ek on ek.id = e.kept_id
      where e.repo_id = q.repo_id and ((select :episode::int) is null or coalesce(e.episode, ek.seed) = :episode)
        and ((select :rolloutId::text) is null or ek.rollout_id = :rolloutId)
        and (:before::text is null or e.id < :before) and (${repoVisibleSql('eb')} or ${repoOwnSql('d')})
      order by e.id desc limit :limit) f ${parties}
    order by f.repo_id, f.id desc`,
})

export interface FilmsAsked {
  readonly limit: number
  readonly after: string | null
  /** Only those of this episode, or this seed. */
  readonly episode: number | null
  /** Only those of episodes that this result keeps. */
  readonly rolloutId: string | null
}

/**
 * A page of films for each repo that the caller sees, those asked for last first. The owner of a repo and its members
 * have all of them, since each takes a place and bytes; others those whose robot they see. One statement; a repo has at
 * most 100 films. 422 `validation.cursor`.
 */
export async function filmsOfRepos(
  { deps, viewer }: Pick<RequestContext, 'deps' | 'viewer'>,
  repoIds: readonly string[],
  { limit, after, episode, rolloutId }: FilmsAsked,
): Promise<Page<EpisodeFilm>[]> {
  const [before] = after === null ? [null] : decodeCursor<[string]>('episode-films', after, [idPart('film')])
  const asked = { datasetIds: repoIds, episode, rolloutId, before, limit: limit + 1 }
  const rows = await deps.db.query(page, { ...visibleRepos(viewer), ...asked })
  const byRepo = Map.groupBy(rows, ({ repoId }) => repoId)
  return repoIds.map((id) => {
    const found = byRepo.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: (film) => encodeCursor('episode-films', [film.id]),
    }
  })
}

/** Films among the work that workers lease. */
export const filmWork: LeasedKind<EpisodeFilm> = {
  topic: 'episode-films',
  plural: 'films',
  nameOf: ({ id }) => `the film ${id}`,
}

/** 404: it was deleted, or dropped for newer ones, or its robot is hidden from a caller who sees or makes it. */
export const goneFilm = ({ id, repo }: Pick<EpisodeFilm, 'id' | 'repo'>): HubError =>
  notFound(`The film ${id} of ${repo}`)
