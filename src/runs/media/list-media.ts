/** The media of runs as keyset pages, by key, step and index, and the list of their keys. */
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import { signDownload } from '../../files/presign-download.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, type KeyPart, type Page } from '../../platform/page.ts'
import { visibleRepo } from '../../repos/repo-shape.ts'
import { bytesBefore, isLeftOut, tooLargeTogether, unlessLeftOut } from '../../store/bounded-read.ts'
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
  readonly step: number | null
  readonly limit: number
  readonly after: string | null
}

/** Null where the entry has no file, where it is gone, and where the caller does not see the output repo. */
const fileColumns = columns({
  size: column.int8('b.size'),
  mime: column.text.orNull('f.mime'),
  storageKey: column.text('b.storage_key'),
})
const listedColumns = mediaColumns
  .with({ ...isLeftOut, value: column.document.orNull<unknown>(unlessLeftOut('m.value')) })
  .withOptional('o', fileColumns)

export type RunMediaEntry = RowOf<typeof listedColumns>

const pageParams = {
  ...repoViewer,
  runIds: param.texts(),
  afterKey: param.text(),
  afterStep: param.int8(),
  afterIndex: param.int4(),
  limit: param.int8(),
}

/**
 * One statement for all runs. `page` takes that of `asked.run_id` from an index. Values are up to 64 KiB each: of ten
 * thousand entries as many are read as stay small together.
 */
const pagesFrom = (page: string) =>
  `select ${listedColumns.sql} from (
      select e.*, asked.place, ${bytesBefore('e.bytes', 'asked.place, e.key, e.step, e.index')}
      from unnest(:runIds::text[]) with ordinality as asked (run_id, place) cross join lateral (${page}) e) m
    cross join lateral (select m.before) sized
    join runs u on u.id = any(array[m.run_id])
    left join lateral (select ${fileColumns.sql} from repos r join files f on f.repo_id = r.id
      join blobs b on b.id = f.blob_id
      where r.id = u.output_repo_id and f.path = m.path and f.to_seq is null and ${visibleRepo}) o on true
    order by m.place, m.key, m.step, m.index`

const isAfter = '(e.key, e.step, e.index) > (:afterKey, :afterStep::int8, :afterIndex::int4)'

/** The range of one key, or of a step of it, ends at its last place. */
const pageWhere = (which: string) => `select * from run_media e where e.run_id = asked.run_id ${which}
      and ${isAfter} and (e.key, e.step) <= (:lastKey, :lastStep::int8) order by e.key, e.step, e.index limit :limit`

const rangeParams = { ...pageParams, lastKey: param.text(), lastStep: param.int8() }

const pagesOfMedia = statement({
  name: 'run-media-pages',
  exact: 'per-parent',
  columns: listedColumns,
  params: rangeParams,
  text: pagesFrom(pageWhere('')),
})

/** From an index of its own: entries of other kinds are not read. */
const pagesOfKind = statement({
  name: 'run-media-pages-of-kind',
  exact: 'per-parent',
  columns: listedColumns,
  params: { ...rangeParams, kind: param.enum('RunMediaKind') },
  text: pagesFrom(pageWhere('and e.kind = :kind')),
})

/** A step of all keys: each of the run's keys, of which there are at most 500, has a range of its own. */
const pagesAtStep = statement({
  name: 'run-media-pages-at-step',
  exact: 'per-parent',
  columns: listedColumns,
  params: { ...pageParams, step: param.int8(), kind: param.enum.orNull('RunMediaKind') },
  text: pagesFrom(`select e.* from run_media_keys k
      cross join lateral (select * from run_media e where e.run_id = k.run_id and e.kind = k.kind and e.key = k.key
        and e.step = :step and ${isAfter} order by e.index limit :limit) e
      where k.run_id = asked.run_id and k.key >= :afterKey and (:kind::"RunMediaKind" is null or k.kind = :kind)
      order by k.key, e.step, e.index limit :limit`),
})

/** In the order of bytes no key comes after it. */
const LAST_KEY = '\u{10FFFF}'.repeat(MAX_KEY_CHARACTERS)
const LAST_INDEX = 2 ** 31 - 1

const isText = (part: KeyPart): part is string => typeof part === 'string'
const isStep = (part: KeyPart): part is number => Number.isSafeInteger(part)
const isIndex = (part: KeyPart): part is number => Number.isInteger(part) && Math.abs(Number(part)) <= LAST_INDEX

/** A page of each run, in the order of `runIds`. The caller has read the runs under `visibleRun`. */
export async function mediaOfRuns(ctx: RequestContext, input: MediaPageInput): Promise<Page<RunMediaEntry>[]> {
  const { runIds, key, kind, step, limit, after } = input
  const listing = `run-media:${JSON.stringify([key, kind, step])}`
  // Steps and indexes are counted from 0.
  const [afterKey, afterStep, afterIndex] =
    after === null
      ? [key ?? '', key === null ? -1 : (step ?? 0) - 1, LAST_INDEX]
      : decodeCursor<[string, number, number]>(listing, after, [isText, isStep, isIndex])
  const given = { ...visibleRepos(ctx.viewer), runIds, afterKey, afterStep, afterIndex, limit: limit + 1 }
  const last = { lastKey: key ?? LAST_KEY, lastStep: key === null || step === null ? Number.MAX_SAFE_INTEGER : step }
  const { db } = ctx.deps
  const rows =
    key === null && step !== null
      ? await db.query(pagesAtStep, { ...given, step, kind })
      : kind === null
        ? await db.query(pagesOfMedia, { ...given, ...last })
        : await db.query(pagesOfKind, { ...given, ...last, kind })
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

/** The value of an entry without a file, null for others. 413 for those beyond 16 MiB. */
export function valueOfMedia({ value, path, isLeftOut }: RunMediaEntry): unknown {
  if (isLeftOut && path === null) throw tooLargeTogether('values of media')
  return value?.value ?? null
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

/** Steps of one key; where there are more, every second, third and so on, and the last. */
const MOST_STEPS = 1000

const stepColumns = columns({ runId: column.text('s.run_id'), step: column.int8('s.step') })

/** The steps of one key in each run. Those that are left out are spread evenly. */
const stepsOfMedia = statement({
  name: 'run-media-steps',
  exact: 'per-parent',
  columns: stepColumns,
  params: { runIds: param.texts(), key: param.text(), kind: param.enum.orNull('RunMediaKind') },
  text: `select ${stepColumns.sql} from (
      select m.run_id, m.step, row_number() over (partition by m.run_id order by m.step desc) - 1 as place,
        count(*) over (partition by m.run_id) as steps
      from run_media m where m.run_id = any(:runIds::text[]) and m.key = :key
        and (:kind::"RunMediaKind" is null or m.kind = :kind)
      group by m.run_id, m.step) s
    where s.place % ceil(s.steps / ${MOST_STEPS}.0)::int8 = 0 order by s.run_id, s.step`,
})

/** The steps of a key in each run, ascending, at most 1,000. */
export async function mediaStepsOfRuns(
  { deps }: RequestContext,
  runIds: readonly string[],
  key: string,
  kind: RunMediaKind | null,
): Promise<number[][]> {
  const byRun = Map.groupBy(await deps.db.query(stepsOfMedia, { runIds, key, kind }), ({ runId }) => runId)
  return runIds.map((id) => (byRun.get(id) ?? []).map(({ step }) => step))
}
