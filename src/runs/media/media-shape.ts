/** An entry of a run's media, and its bounds. Contract, "Media of a run". */
import { lineText, plainText } from '@hub/formats/text-rules'
import { column, columns, type RowOf } from '../../store/columns.ts'

/** Entries of one request. */
export const MAX_MEDIA_BATCH = 100
/** Entries of a run. */
export const MAX_RUN_MEDIA = 100_000
/** Keys of a run, counted once for each kind, so that the list of them needs no pages. */
export const MAX_MEDIA_KEYS = 500
/** Bytes of a value, as JSON in UTF-8. Anything larger is a file. */
export const MAX_MEDIA_VALUE_BYTES = 64 * 1024
/** Pixels of a side. */
export const MAX_MEDIA_SIDE = 1_000_000
/** As long as anything may play: a year. */
export const MAX_MEDIA_SECONDS = 366 * 86_400
/** A cursor has the key in it, as JSON. */
const MAX_KEY_JSON_BYTES = 320
/** As long as the key of a metric. */
export const MAX_KEY_CHARACTERS = 256

export const mediaKey = lineText(MAX_KEY_CHARACTERS).refine(
  (key) => Buffer.byteLength(JSON.stringify(key)) <= MAX_KEY_JSON_BYTES,
  `must be at most ${MAX_KEY_JSON_BYTES} bytes as JSON`,
)
export const mediaCaption = plainText(1024)

/** Of the row `m` of run_media. The value is a document: a page of them has megabytes, which not every reader selects. */
export const mediaColumns = columns({
  runId: column.text('m.run_id'),
  key: column.text('m.key'),
  step: column.int8('m.step'),
  index: column.int4('m.index'),
  kind: column.enum('RunMediaKind', 'm.kind'),
  path: column.text.orNull('m.path'),
  value: column.document.orNull<unknown>('m.value'),
  caption: column.text.orNull('m.caption'),
  width: column.int4.orNull('m.width'),
  height: column.int4.orNull('m.height'),
  seconds: column.float8.orNull('m.seconds'),
  at: column.timestamptz('m.at'),
})

/** Of the row `k` of run_media_keys. */
export const mediaKeyColumns = columns({
  runId: column.text('k.run_id'),
  key: column.text('k.key'),
  kind: column.enum('RunMediaKind', 'k.kind'),
  entries: column.int4('k.entries'),
  bytes: column.int8('k.bytes'),
  lastStep: column.int8('k.last_step'),
})

/** What a run has under one key and kind. */
export type RunMediaKey = RowOf<typeof mediaKeyColumns>
export type RunMediaKind = RunMediaKey['kind']
