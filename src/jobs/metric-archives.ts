/**
 * Archives the metrics of runs that have ended: their lines go into one object of compressed blocks, which is read back
 * and compared, then named in one transaction; from its commit on readers use it, and the rows are dropped in batches.
 * Whatever a process that dies leaves behind, the next pass does again: an object without a name is collected, and
 * `metric_archives` lists what has to be written or dropped.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Deps } from '../operation/context.ts'
import { runObjects } from '../runs/log/run-objects.ts'
import { blockText, packBlock, unpackBlock } from '../runs/metrics/archive-block.ts'
import { everyStep, type MetricLine, readLines } from '../runs/metrics/metric-lines.ts'
import { readBlock } from '../runs/metrics/read-archive.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import { each, insertEach } from '../store/insert.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { newJobKey } from '../work/job-objects.ts'
import { dropMetricRows } from './run-purge.ts'
import { summarizeRun } from './run-summaries.ts'

type Parts = Pick<Deps, 'db' | 'config' | 'log'>

const BATCH = 100

/**
 * How long rows stay beside their archive: an instance of an older version, which knows rows alone, may still run
 * during an update.
 */
const ROWS_STAY_SECONDS = 3600

const dueColumns = columns({ runId: column.text('a.run_id'), last: column.int8('u.metrics_seq') })

const due = statement({
  name: 'metric-archives-due',
  exact: 'next-batch',
  columns: dueColumns,
  params: { waitSeconds: param.float8() },
  text: `select ${dueColumns.sql} from (select run_id, still_since from metric_archives where written_at is null
      and still_since < now() - make_interval(secs => :waitSeconds) order by still_since limit ${BATCH}) a
    join runs u on u.id = a.run_id order by a.still_since`,
})

const postpone = statement({
  name: 'metric-archive-postpone',
  params: { runId: param.text() },
  text: 'update metric_archives set still_since = now() where run_id = :runId and written_at is null',
})

const runIdColumn = columns({ runId: column.text('run_id') })

/** Another instance may have written its own object, and the run may be gone. */
const take = statement({
  name: 'metric-archive-take',
  columns: runIdColumn,
  params: {
    runId: param.text(),
    last: param.int8(),
    key: param.text(),
    sizeBytes: param.int8(),
    sha256: param.text(),
    lines: param.int8(),
  },
  text: `update metric_archives a set storage_key = :key, size_bytes = :sizeBytes, sha256 = :sha256, lines = :lines,
      written_at = now()
    where a.run_id = :runId and a.written_at is null and exists (select from runs u where u.id = :runId
      and u.finished_at is not null and u.metrics_seq = :last and not u.summary_pending)
    returning ${runIdColumn.sql}`,
})

const blockRows = insertEach('metric_archive_blocks', {
  runId: param.text(),
  firstSeq: each('firstSeqs', param.int8s()),
  lastSeq: each('lastSeqs', param.int8s()),
  minStep: each('minSteps', param.float8s()),
  maxStep: each('maxSteps', param.float8s()),
  start: each('starts', param.int8s()),
  length: each('lengths', param.int4s()),
})
const insertBlocks = statement({ name: 'metric-archive-index', params: blockRows.params, text: blockRows.sql })

const toDrop = statement({
  name: 'metric-archives-to-drop',
  exact: 'next-batch',
  columns: runIdColumn,
  params: { staySeconds: param.float8() },
  text: `select ${runIdColumn.sql} from metric_archives where written_at is not null and dropped_at is null
      and written_at <= now() - make_interval(secs => :staySeconds) order by written_at limit ${BATCH}`,
})

const dropped = statement({
  name: 'metric-archive-dropped',
  params: { runId: param.text() },
  text: 'update metric_archives set dropped_at = now() where run_id = :runId',
})

interface Block {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly minStep: number
  readonly maxStep: number
  readonly start: number
  readonly length: number
  readonly lines: number
  /** Of the bytes before compression. */
  readonly textSha256: string
}

interface Plan {
  readonly blocks: readonly Block[]
  readonly sizeBytes: number
  /** Of the whole object. */
  readonly sha256: string
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The blocks as the rows give them, one in memory at a time. */
async function* packedFrom(db: Querier, runId: string, last: number, signal: AbortSignal) {
  for (let after = 0; after < last; ) {
    signal.throwIfAborted()
    const { lines, reaches } = await readLines(db, runId, after, everyStep)
    const text = blockText(lines)
    if (lines.length > 0) yield { lines, text, packed: await packBlock(text) }
    after = reaches
  }
}

async function* bytesOf(db: Querier, runId: string, last: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const { packed } of packedFrom(db, runId, last, signal)) yield packed
}

function rangeOf(lines: readonly MetricLine[]) {
  let [minStep, maxStep] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { seq, step } of lines) {
    minStep = Math.min(minStep, step ?? seq)
    maxStep = Math.max(maxStep, step ?? seq)
  }
  return { firstSeq: lines[0]?.seq ?? 0, lastSeq: lines.at(-1)?.seq ?? 0, minStep, maxStep }
}

/** The index and digest of the object to be: a store must know the size before the first byte. */
async function planOf(db: Querier, runId: string, last: number, signal: AbortSignal): Promise<Plan> {
  const blocks: Block[] = []
  const whole = createHash('sha256')
  let start = 0
  for await (const { lines, text, packed } of packedFrom(db, runId, last, signal)) {
    const length = packed.byteLength
    blocks.push({ ...rangeOf(lines), start, length, lines: lines.length, textSha256: sha256Of(text) })
    whole.update(packed)
    start += length
  }
  return { blocks, sizeBytes: start, sha256: whole.digest('hex') }
}

/** Reads the object back as readers do, block by block; throws unless every line is as in the rows. */
async function verify(objects: ObjectStore, key: string, plan: Plan, signal: AbortSignal): Promise<void> {
  const whole = createHash('sha256')
  for (const { start, length, textSha256 } of plan.blocks) {
    const bytes = await readBlock({ objects }, { key, start, length }, signal)
    whole.update(bytes)
    if (sha256Of(blockText(await unpackBlock(bytes))) !== textSha256)
      throw new Error(`The archive ${key} does not have the lines of its run at byte ${start}.`)
  }
  if (whole.digest('hex') !== plan.sha256) throw new Error(`The archive ${key} is not what was written.`)
}

/** Writes, verifies and names the archive of one run, whose rows then may be dropped. */
async function archiveRun(
  deps: Parts,
  objects: ObjectStore,
  { runId, last }: { readonly runId: string; readonly last: number },
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps
  await summarizeRun(deps, runId, signal)
  const plan = await planOf(db, runId, last, signal)
  const key = newJobKey(runObjects.metrics, runId)
  const { sizeBytes, sha256, blocks } = plan
  const { contentType } = runObjects.metrics
  await objects.put(key, Readable.from(bytesOf(db, runId, last, signal)), { sizeBytes, contentType, signal })
  await verify(objects, key, plan, signal)
  const lines = blocks.reduce((sum, block) => sum + block.lines, 0)
  const isTaken = await db.withTx(async (tx) => {
    const taken = await tx.query(take, { runId, last, key, sizeBytes, sha256, lines })
    if (taken.length === 0) return false
    await tx.query(insertBlocks, {
      runId,
      firstSeqs: blocks.map(({ firstSeq }) => firstSeq),
      lastSeqs: blocks.map(({ lastSeq }) => lastSeq),
      minSteps: blocks.map(({ minStep }) => minStep),
      maxSteps: blocks.map(({ maxStep }) => maxStep),
      starts: blocks.map(({ start }) => start),
      lengths: blocks.map(({ length }) => length),
    })
    return true
  })
  if (isTaken) return
  if (!(await areDeletionsHeld(db))) await objects.delete([key], signal)
}

/**
 * Archives each run that has been still for METRICS_ARCHIVE_AFTER_S. One that fails is tried again after as long, so
 * that it does not keep others from their turn.
 */
export async function archiveMetrics(deps: Parts, objects: ObjectStore, signal: AbortSignal): Promise<void> {
  const waitSeconds = deps.config.runs.metricsArchiveAfterSeconds
  if (waitSeconds === 0) return
  for (;;) {
    const runs = await deps.db.query(due, { waitSeconds })
    for (const run of runs) {
      signal.throwIfAborted()
      // Before the try: one that is too long for this job, or ends the process, is not the first of the next pass too.
      await deps.db.query(postpone, { runId: run.runId })
      try {
        await archiveRun(deps, objects, run, signal)
      } catch (error) {
        if (signal.aborted) throw error
        deps.log.warn({ err: error, run: run.runId }, 'the metrics of a run could not be archived, and stay as rows')
      }
    }
    if (runs.length < BATCH) return
  }
}

/** Drops the rows of archived runs, `staySeconds` after their archives were written. */
export async function dropArchivedRows(
  deps: Pick<Deps, 'db'>,
  signal: AbortSignal,
  staySeconds = ROWS_STAY_SECONDS,
): Promise<void> {
  for (;;) {
    const runs = await deps.db.query(toDrop, { staySeconds })
    for (const { runId } of runs) {
      signal.throwIfAborted()
      await dropMetricRows(deps, runId, signal)
      await deps.db.query(dropped, { runId })
    }
    if (runs.length < BATCH) return
  }
}
