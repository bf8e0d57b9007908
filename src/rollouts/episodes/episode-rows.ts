/** The rows of kept episodes, each with the outcome of its seed. */
import type { RequestContext } from '../../operation/context.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { each, insertEach } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { outcomeColumns } from '../rollout-rows.ts'

const episodeColumns = outcomeColumns.with({
  size: column.int8('b.size'),
  sha256: column.text('b.sha256'),
  /** Only for signing; no field exposes it. */
  storageKey: column.text('b.storage_key'),
})

/** The motion of a seed, as it was recorded. */
export type RolloutEpisode = RowOf<typeof episodeColumns>

const episodesOf = statement({
  name: 'rollout-episodes',
  exact: 'per-parent',
  columns: episodeColumns,
  params: { ids: param.texts() },
  text: `select ${episodeColumns.sql} from rollout_episodes e join blobs b on b.id = e.blob_id
      join rollout_outcomes s on s.rollout_id = e.rollout_id and s.seed = e.seed
    where e.rollout_id = any(:ids::text[]) order by e.rollout_id, s.success, s.return, s.seed`,
})

/** The episodes of each result that the caller sees, in the order of `ids`, the worst first. One statement. */
export async function episodesOfRollouts(
  { deps }: Pick<RequestContext, 'deps'>,
  ids: readonly string[],
): Promise<RolloutEpisode[][]> {
  const byRollout = Map.groupBy(await deps.db.query(episodesOf, { ids }), ({ rolloutId }) => rolloutId)
  return ids.map((id) => byRollout.get(id) ?? [])
}

const seedColumn = columns({ seed: column.int4('e.seed') })

const seedsOf = statement({
  name: 'rollout-episode-seeds',
  exact: 'in-transaction',
  columns: seedColumn,
  params: { rolloutId: param.text() },
  text: `select ${seedColumn.sql} from rollout_episodes e where e.rollout_id = :rolloutId`,
})

/** The seeds whose episodes a result keeps. */
export async function keptSeeds(querier: Querier, rolloutId: string): Promise<ReadonlySet<number>> {
  return new Set((await querier.query(seedsOf, { rolloutId })).map(({ seed }) => seed))
}

const keptColumns = columns({
  id: column.text('b.id'),
  sha256: column.text('b.sha256'),
  size: column.int8('b.size'),
  storageKey: column.text('b.storage_key'),
  etag: column.text.orNull('b.etag'),
})

const keptContents = statement({
  name: 'rollout-episode-contents',
  exact: 'verb-answer',
  columns: keptColumns,
  params: { modelRepoId: param.text(), digests: param.texts() },
  text: `select distinct ${keptColumns.sql} from blobs b join rollout_episodes e on e.blob_id = b.id
      join rollouts r on r.id = e.rollout_id
    where b.sha256 = any(:digests::text[]) and b.sha256 is not null and b.state = 'live'
      and r.model_repo_id = :modelRepoId`,
})

/** Bytes that results of the model keep already: a request that is sent again does not need them once more. */
export const keptBytes = (querier: Querier, modelRepoId: string, digests: readonly string[]) =>
  querier.query(keptContents, { modelRepoId, digests })

const episodeRows = insertEach('rollout_episodes', {
  rolloutId: param.text(),
  ownerId: param.text(),
  seed: each('seeds', param.int4s()),
  blobId: each('blobIds', param.texts()),
})

export const insertEpisodes = statement({
  name: 'rollout-episodes-insert',
  params: episodeRows.params,
  text: episodeRows.sql,
})
