/** The media of runs as keyset pages, by key, step and index, and the list of their keys. */
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import { signDownload } from '../../files/presign-download.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, type KeyPart, type Page } from '../../platform/page.ts'
import { visibleRepo } from '../../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import {
  MAX_KEY_CHARACTERS,
  mediaColumns,
  mediaKeyColumns,
  type RunMediaKey,
  type RunMediaKind,
} from './media-shape.ts'

export interface MediaPageInput {
  readonly runIds: readonly string[]
  readonly key: string | null
  readonly kind: RunMediaKind | null
  readonly limit: number
  readonly after: string | null
}

/** Null where the entry has no file, where it is gone, and where the caller does not see the output repo. */
const fileColumns = columns({
  size: column.int8('b.size'),
  mime: column.text.orNull('f.mime'),
  storageKey: column.text('b.storage_key'),
})
const listedColumns = mediaColumns.withOptional('o', fileColumns)

export type RunMediaEntry = RowOf<typeof listedColumns>

/** One statement for all runs: each takes its page from the primary key. `upTo` ends the range of a single key. */
const pagesOfMedia = statement({
  name: 'run-media-pages',
  exact: 'per-parent',
  columns: listedColumns,
  params: {
    ...repoViewer,
    runIds: param.texts(),
    kind: param.enum.orNull('RunMediaKind'),
    afterKey: param.text(),
    afterStep: param.int8(),
    afterIndex: param.int4(),
    upTo: param.text(),
    limit: param.int8(),
  },
  text: `select ${listedColumns.sql} from unnest(:runIds::text[]) with ordinality as asked (run_id, place)
    join runs u on u.id = asked.run_id
    cross join lateral (select * from run_media e where e.run_id = asked.run_id
      and (e.key, e.step, e.index) > (:afterKey, :afterStep::int8, :afterIndex::int4) and e.key <= :upTo
      and (:kind::"RunMediaKind" is null or e.kind = :kind)
      order by e.key, e.step, e.index limit :limit) m
    left join lateral (select ${fileColumns.sql} from repos r join files f on f.repo_id = r.id
      join blobs b on b.id = f.blob_id
      where r.id = u.output_repo_id and f.path = m.path and f.to_seq is null and ${visibleRepo}) o on true
    order by asked.place, m.key, m.step, m.index`,
})

/** In the order of bytes no key comes after it. */
const LAST_KEY = '\u{10FFFF}'.repeat(MAX_KEY_CHARACTERS)

const isText = (part: KeyPart): part is string => typeof part === 'string'
const isStep = (part: KeyPart): part is number => Number.isSafeInteger(part)
const isIndex = (part: KeyPart): part is number => Number.isInteger(part) && Math.abs(Number(part)) < 2 ** 31

/** A page of each run, in the order of `runIds`. The caller has read the runs under `visibleRun`. */
export async function mediaOfRuns(ctx: RequestContext, input: MediaPageInput): Promise<Page<RunMediaEntry>[]> {
  const { runIds, key, kind, limit, after } = input
  const listing = `run-media:${JSON.stringify([key, kind])}`
  // Steps and indexes are counted from 0.
  const [afterKey, afterStep, afterIndex] =
    after === null
      ? [key ?? '', -1, -1]
      : decodeCursor<[string, number, number]>(listing, after, [isText, isStep, isIndex])
  const rows = await ctx.deps.db.query(pagesOfMedia, {
    ...visibleRepos(ctx.viewer),
    runIds,
    kind,
    afterKey,
    afterStep,
    afterIndex,
    upTo: key ?? LAST_KEY,
    limit: limit + 1,
  })
  const byRun = Map.groupBy(rows, ({ runId }) => runId)
  return runIds.map((id) => {
    const found = byRun.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: (entry) => encodeCursor(listing, [entry.key, entry.step, entry.index]),
    }
  })
}

/** A URL of the entry's file for an hour; null without a file that the caller can read. No network call. */
export function signMedia(
  ctx: Pick<RequestContext, 'deps'>,
  { path, mime, storageKey }: RunMediaEntry,
): Promise<string> | null {
  return path === null || storageKey === null || ctx.deps.objects === null
    ? null
    : signDownload(ctx, { path, mime, storageKey })
}

const keysOfMedia = statement({
  name: 'run-media-keys',
  exact: 'per-parent',
  columns: mediaKeyColumns,
  params: { runIds: param.texts() },
  text: `select ${mediaKeyColumns.sql} from run_media_keys k where k.run_id = any(:runIds::text[])
    order by k.run_id, k.key, k.kind`,
})

/** The keys of each run in byte order, a row for each kind; at most 500, as `recordRunMedia` refuses more. */
export async function mediaKeysOfRuns({ deps }: RequestContext, runIds: readonly string[]): Promise<RunMediaKey[][]> {
  const byRun = Map.groupBy(await deps.db.query(keysOfMedia, { runIds }), ({ runId }) => runId)
  return runIds.map((id) => byRun.get(id) ?? [])
}
