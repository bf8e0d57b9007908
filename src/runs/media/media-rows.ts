/**
 * The rows of a run's media, and what they come to by key and kind. Callers hold the run's row lock, so that no one
 * else changes either.
 */
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { assign, each, excluded, insertEach, insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import type { MediaRow } from './judge-media.ts'

type Texts = readonly (string | null)[]
type Numbers = readonly (number | null)[]

const storedColumns = columns({
  key: column.text('m.key'),
  step: column.int8('m.step'),
  index: column.int4('m.index'),
  kind: column.enum('RunMediaKind', 'm.kind'),
  bytes: column.int4('m.bytes'),
})
/** What the keys count of an entry. */
export type StoredMedia = RowOf<typeof storedColumns>

const stored = statement({
  name: 'run-media-stored',
  exact: 'in-transaction',
  columns: storedColumns,
  params: { runId: param.text(), keys: param.texts(), steps: param.int8s(), indexes: param.int4s() },
  text: `select ${storedColumns.sql} from unnest(:keys::text[], :steps::int8[], :indexes::int4[]) as given (key, step, index)
    join run_media m on m.run_id = :runId and m.key = given.key and m.step = given.step and m.index = given.index`,
})

const mediaRows = insertEach('run_media as m', {
  runId: param.text(),
  key: each('keys', param.texts()),
  step: each('steps', param.int8s()),
  index: each('indexes', param.int4s()),
  kind: each('kinds', param.texts(), 'RunMediaKind'),
  path: each('paths', param.texts<Texts>()),
  value: each('values', param.texts<Texts>(), 'json'),
  caption: each('captions', param.texts<Texts>()),
  width: each('widths', param.int4s<Numbers>()),
  height: each('heights', param.int4s<Numbers>()),
  seconds: each('lengths', param.float8s<Numbers>()),
  bytes: each('sizes', param.int4s()),
  at: each('times', param.timestamps()),
})

const replaced = assign('run_media', {
  kind: excluded,
  path: excluded,
  value: excluded,
  caption: excluded,
  width: excluded,
  height: excluded,
  seconds: excluded,
  bytes: excluded,
  at: excluded,
})

/** Returns the entries that are new or another than before; the time alone makes none another. */
const put = statement({
  name: 'run-media-put',
  columns: storedColumns,
  params: mediaRows.params,
  text: `${mediaRows.sql} on conflict (run_id, key, step, index) do update set ${replaced.sql}
    where (m.kind, m.path, m.value::text, m.caption, m.width, m.height, m.seconds) is distinct from (excluded.kind,
      excluded.path, excluded.value::text, excluded.caption, excluded.width, excluded.height, excluded.seconds)
    returning ${storedColumns.sql}`,
})

/** The entries at the places of these rows. */
export function storedAt(tx: Querier, runId: string, rows: readonly MediaRow[]): Promise<StoredMedia[]> {
  return tx.query(stored, { runId, ...placesOf(rows) })
}

/** Writes the rows, and returns those that changed something. `now` is the time of an entry that names none. */
export function putMedia(tx: Querier, runId: string, rows: readonly MediaRow[], now: string): Promise<StoredMedia[]> {
  return tx.query(put, {
    runId,
    ...placesOf(rows),
    kinds: rows.map(({ kind }) => kind),
    paths: rows.map(({ path }) => path ?? null),
    values: rows.map(({ text }) => text),
    captions: rows.map(({ caption }) => caption ?? null),
    widths: rows.map(({ width }) => width ?? null),
    heights: rows.map(({ height }) => height ?? null),
    lengths: rows.map(({ seconds }) => seconds ?? null),
    sizes: rows.map(({ bytes }) => bytes),
    times: rows.map(({ at }) => at ?? now),
  })
}

const placesOf = (rows: readonly MediaRow[]) => ({
  keys: rows.map(({ key }) => key),
  steps: rows.map(({ step }) => step),
  indexes: rows.map(({ index }) => index),
})

const keyRows = insertEach('run_media_keys as k', {
  runId: param.text(),
  key: each('keys', param.texts()),
  kind: each('kinds', param.texts(), 'RunMediaKind'),
  entries: each('counts', param.int4s()),
  bytes: each('sizes', param.int8s()),
  lastStep: each('steps', param.int8s()),
})

/** Also with less than nothing to add: the bytes of an entry that is replaced by a smaller one. */
const addToKeys = statement({
  name: 'run-media-keys-add',
  params: keyRows.params,
  rewrites: 'runId',
  text: `${keyRows.sql} on conflict (run_id, key, kind) do update set entries = k.entries + excluded.entries,
    bytes = k.bytes + excluded.bytes, last_step = greatest(k.last_step, excluded.last_step)`,
})

/** What is added under one key and kind. */
export interface MediaGrowth {
  readonly key: string
  readonly kind: StoredMedia['kind']
  readonly entries: number
  readonly bytes: number
  readonly lastStep: number
}

/** Adds to what the keys have. */
export async function addToMediaKeys(tx: Querier, runId: string, grown: readonly MediaGrowth[]): Promise<void> {
  await tx.query(addToKeys, {
    runId,
    keys: grown.map(({ key }) => key),
    kinds: grown.map(({ kind }) => kind),
    counts: grown.map(({ entries }) => entries),
    sizes: grown.map(({ bytes }) => bytes),
    steps: grown.map(({ lastStep }) => lastStep),
  })
}

const ofKeys = { runId: param.text(), keys: param.texts.orNull() }
const isAsked = 'run_id = :runId and (:keys::text[] is null or key = any(:keys::text[]))'

const forgetKeys = statement({
  name: 'run-media-keys-forget',
  params: ofKeys,
  text: `delete from run_media_keys where ${isAsked}`,
})

const countedKeys = insertSelected('run_media_keys', {
  runId: sql('run_id'),
  key: sql('key'),
  kind: sql('kind'),
  entries: sql('count(*)'),
  bytes: sql('sum(bytes)'),
  lastStep: sql('max(step)'),
})
const countKeys = statement({
  name: 'run-media-keys-count',
  params: ofKeys,
  text: `${countedKeys.sql} from run_media where ${isAsked} group by run_id, key, kind`,
})

/** Counts keys (null: all) from their entries, where some were deleted or have another kind than before. */
export async function recountMediaKeys(tx: Querier, runId: string, keys: readonly string[] | null): Promise<void> {
  await tx.query(forgetKeys, { runId, keys })
  await tx.query(countKeys, { runId, keys })
}

const totalColumns = columns({
  keys: column.int8('count(*)'),
  entries: column.int8('coalesce(sum(entries), 0)'),
})
const totals = statement({
  name: 'run-media-totals',
  exact: 'in-transaction',
  columns: totalColumns,
  params: { runId: param.text() },
  text: `select ${totalColumns.sql} from run_media_keys where run_id = :runId`,
})

/** How many keys and entries the run has. */
export async function mediaTotals(tx: Querier, runId: string): Promise<RowOf<typeof totalColumns>> {
  const [found] = await tx.query(totals, { runId })
  return found ?? { keys: 0, entries: 0 }
}

/** The account is the last lock. */
const drop = statement({
  name: 'run-media-drop',
  params: { runId: param.text(), step: param.float8.orNull() },
  text: `with gone as (delete from run_media where run_id = :runId and (:step::float8 is null or step > :step)
        returning bytes),
      freed as (select sum(bytes) as bytes from gone),
      run as (update runs u set stored_bytes = u.stored_bytes - freed.bytes from freed
        where u.id = :runId and freed.bytes > 0 returning u.owner_id)
    update accounts a set storage_bytes = a.storage_bytes - freed.bytes from run, freed where a.id = run.owner_id`,
})

/** Deletes what a lost attempt logged past `step` (null: all), and gives its bytes back. */
export async function dropMedia(tx: Querier, runId: string, step: number | null): Promise<void> {
  await tx.query(drop, { runId, step })
  await recountMediaKeys(tx, runId, null)
}
