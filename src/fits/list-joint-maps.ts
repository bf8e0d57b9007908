/** Pages of the maps of repos, as far as the caller sees the robots that they lead to. */
import type { JointMap } from '@hub/embodiment/joint-map'
import { repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { type HubError, notFound } from '../platform/errors.ts'
import { decodeCursor, encodeCursor, idPart, type KeyPart, type Page } from '../platform/page.ts'
import { assertTimeLeftHere } from '../platform/processor-time.ts'
import { turns } from '../platform/turns.ts'
import { bytesBefore, tooLargeTogether, unlessLeftOut } from '../store/bounded-read.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { type ListedMap, listedMapColumns, mapParties } from './joint-map-rows.ts'

const page = statement({
  name: 'joint-maps-page',
  exact: 'per-parent',
  columns: listedMapColumns,
  params: {
    ...repoViewer,
    fromIds: param.texts(),
    robot: param.text.orNull(),
    afterId: param.text.orNull(),
    afterVersion: param.int4.orNull(),
    limit: param.int8(),
  },
  text: `select ${listedMapColumns.sql} from unnest(:fromIds::text[]) as q(repo_id)
    cross join lateral (select c.from_repo_id, c.to_repo_id, c.version from joint_maps c
      join repos t on t.id = c.to_repo_id join accounts o on o.id = t.owner_id
      where c.from_repo_id = q.repo_id and ${repoVisibleSql('t')}
        and (:robot::text is null or o.handle || '/' || t.slug = :robot)
        and (:afterId::text is null or c.to_repo_id > :afterId
          or (c.to_repo_id = :afterId and c.version < :afterVersion::int))
      order by c.to_repo_id, c.version desc limit :limit) k
    cross join lateral (select * from joint_maps where from_repo_id = k.from_repo_id and to_repo_id = k.to_repo_id
      and version = k.version) m
    ${mapParties} order by m.from_repo_id, m.to_repo_id, m.version desc`,
})

/** Versions are PostgreSQL's integers. */
const isVersion = (part: KeyPart): part is number => Number.isInteger(part) && Math.abs(Number(part)) < 2 ** 31

export interface MapsInput {
  readonly limit: number
  readonly after: string | null
  /** Full name of the only robot that is meant; null for all. */
  readonly robot: string | null
}

/**
 * A page for each repo that the caller can see, in the order requested: by robot, its versions newest first. One
 * statement. 422 `validation.cursor`.
 */
export async function mapsOfRepos(
  { deps, viewer }: RequestContext,
  repoIds: readonly string[],
  { limit, after, robot }: MapsInput,
): Promise<Page<ListedMap>[]> {
  const [afterId, afterVersion] =
    after === null ? [null, null] : decodeCursor<[string, number]>('joint-maps', after, [idPart('repo'), isVersion])
  const given = { fromIds: repoIds, robot, afterId, afterVersion, limit: limit + 1 }
  const rows = await deps.db.query(page, { ...visibleRepos(viewer), ...given })
  const byRepo = Map.groupBy(rows, (row) => row.fromRepoId)
  return repoIds.map((id) => {
    const found = byRepo.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: ({ toRepoId, version }) => encodeCursor('joint-maps', [toRepoId, version]),
    }
  })
}

const keySql = (m: string) => `${m}.from_repo_id || ' ' || ${m}.to_repo_id || ' ' || ${m}.version`

const documentColumns = columns({
  key: column.text(keySql('m')),
  map: column.document.orNull<JointMap>(unlessLeftOut('m.map')),
})

const documents = statement({
  name: 'joint-map-documents',
  exact: 'client-json',
  columns: documentColumns,
  params: { fromIds: param.texts(), toIds: param.texts(), versions: param.int4s() },
  text: `select ${documentColumns.sql} from (
      select j.*, ${bytesBefore('octet_length(j.map::text)', 'j.from_repo_id, j.to_repo_id, j.version desc')}
      from unnest(:fromIds::text[], :toIds::text[], :versions::int4[]) as q(from_id, to_id, version)
      join joint_maps j on j.from_repo_id = q.from_id and j.to_repo_id = q.to_id and j.version = q.version) m
    cross join lateral (select m.before) sized`,
})

/** Read in about 10 ms. */
const CHARACTERS_PER_TURN = 512 * 1024

/**
 * The JSON of each version, of which the caller sees all: 413 for those beyond 16 MiB, 404 for one that is dropped
 * meanwhile. One statement.
 */
export async function documentsOfMaps(
  { deps }: Pick<RequestContext, 'deps'>,
  maps: readonly Pick<ListedMap, 'fromRepoId' | 'toRepoId' | 'version' | 'robot'>[],
): Promise<(JointMap | HubError)[]> {
  const rows = await deps.db.query(documents, {
    fromIds: maps.map(({ fromRepoId }) => fromRepoId),
    toIds: maps.map(({ toRepoId }) => toRepoId),
    versions: maps.map(({ version }) => version),
  })
  const found = new Map<string, JointMap | HubError>()
  for (const { key, map } of rows) {
    await turns.next((map?.text.length ?? 0) / CHARACTERS_PER_TURN)
    assertTimeLeftHere()
    found.set(key, map?.value ?? tooLargeTogether('maps of joints'))
  }
  return maps.map(
    ({ fromRepoId, toRepoId, version, robot }) =>
      found.get(`${fromRepoId} ${toRepoId} ${version}`) ?? notFound(`Version ${version} of the map to ${robot}`),
  )
}
