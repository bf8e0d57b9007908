/** Metrics lines from the archive of a run. Only the blocks that have the asked lines are read, one at a time. */
import type { Deps } from '../../operation/context.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { readJobBytes } from '../../work/job-objects.ts'
import { unpackBlock } from './archive-block.ts'
import { type MetricLine, PAGE_LINES, type StepRange } from './metric-lines.ts'

/** How many entries of the index are read at once. */
const BLOCKS_AT_ONCE = 100

const blockColumns = columns({
  key: column.text("coalesce(a.storage_key, '')"),
  lastSeq: column.int8('b.last_seq'),
  start: column.int8('b.start'),
  length: column.int4('b.length'),
})

/**
 * The blocks that may have asked lines. A block has fewer than `PAGE_LINES` numbers: with both ends of the range
 * given, the entries of other blocks are not read.
 */
const blocksAfter = statement({
  name: 'metric-archive-blocks',
  exact: 'per-parent',
  columns: blockColumns,
  params: {
    runId: param.text(),
    after: param.int8(),
    upTo: param.int8(),
    fromStep: param.float8.orNull(),
    toStep: param.float8.orNull(),
  },
  text: `select ${blockColumns.sql} from metric_archive_blocks b join metric_archives a on a.run_id = b.run_id
    where b.run_id = :runId and b.last_seq > :after and b.last_seq < :upTo::int8 + ${PAGE_LINES}
      and b.first_seq <= :upTo and (:fromStep::float8 is null or b.max_step >= :fromStep)
      and (:toStep::float8 is null or b.min_step <= :toStep)
    order by b.last_seq limit ${BLOCKS_AT_ONCE}`,
})

/** Where a block is in the store. */
type BlockPlace = Pick<RowOf<typeof blockColumns>, 'key' | 'start' | 'length'>

/** The compressed bytes of a block. 503 if the store does not respond, 502 if it does not have the object. */
export function readBlock(
  deps: Pick<Deps, 'objects'>,
  { key, start, length }: BlockPlace,
  signal?: AbortSignal,
): Promise<Buffer> {
  const range = { start, end: start + length - 1 }
  return readJobBytes(deps, key, 'The archive of the metrics', { range, ...(signal && { signal }) })
}

interface LinesWanted extends StepRange {
  readonly after: number
  /** The last number that is asked for. */
  readonly upTo: number
}

/** The lines of an archived run, in their order. */
export async function* archivedLines(
  deps: Pick<Deps, 'db' | 'objects'>,
  runId: string,
  { after, upTo, fromStep, toStep }: LinesWanted,
  signal?: AbortSignal,
): AsyncGenerator<MetricLine> {
  for (let from = after; ; ) {
    const blocks = await deps.db.query(blocksAfter, { runId, after: from, upTo, fromStep, toStep })
    for (const block of blocks) {
      for (const one of await unpackBlock(await readBlock(deps, block, signal))) {
        const step = one.step ?? one.seq
        const isInRange = (fromStep === null || step >= fromStep) && (toStep === null || step <= toStep)
        if (one.seq > after && one.seq <= upTo && isInRange) yield one
      }
    }
    const last = blocks.at(-1)
    if (!last || blocks.length < BLOCKS_AT_ONCE) return
    from = last.lastSeq
  }
}
