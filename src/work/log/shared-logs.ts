/**
 * Shared state of all followers of this hub. A chunk is read from the store and split into lines once, a batch is built
 * once, and followers woken by one hint share one read of their job's end. A follower itself has only its position and
 * requests the next batch after it has written the last one, so a slow follower costs no memory.
 */
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import pMap from 'p-map'
import stripAnsi from 'strip-ansi'
import type { Deps } from '../../operation/context.ts'
import { resize } from '../../platform/sized-cache.ts'
import { withoutShare } from '../../store/connection-share.ts'
import { readJobObject } from '../job-objects.ts'
import type { JobLog, JobMetrics, LogHead } from './job-log.ts'
import type { LinesWanted, LogBatch, MetricBatch, SharedLogs } from './log-batch.ts'
import { type LogChunk, partOfLog, readChunk, readHeads } from './log-chunks.ts'
import { joined, linesOf, openEndOf } from './log-lines.ts'
import type { LogPosition } from './position.ts'

type Parts = Pick<Deps, 'db' | 'objects'>

/** A chunk with the lines of its own text, and what of the text is after its last line end. */
interface ReadChunk {
  readonly row: LogChunk
  readonly lines: readonly string[]
  readonly openEnd: string
}

/** A read of the end of a job, and when it was asked for, which is no later than it began. */
interface HeadRead {
  readonly beganAt: number
  readonly head: Promise<LogHead | null>
}

/**
 * Size of each cache. JavaScript strings take up to two bytes per character, and each line is an object of about
 * `LINE_BYTES`.
 */
const CACHE_BYTES = 64 * 1024 * 1024
const LINE_BYTES = 64
const MAX_ENTRIES = 5000
/** Chunks of one open line that are read at once. */
const READ_AT_ONCE = 8
/** A chunk of 256 KiB can have as many lines as bytes, and a batch is built and sent in one turn of the event loop. */
export const BATCH_LINES = 2000
const sizeOf = (bytes: number, lines: number) => 256 + 2 * bytes + LINE_BYTES * lines
/** A reader caches with a batch a text as long as its lines, plus an event around each line. */
const EVENT_BYTES = 128
const batchSizeOf = (characters: number, lines: number) => sizeOf(2 * characters, lines) + EVENT_BYTES * lines
/** A turn of the event loop sends one full batch, or this number of characters in fewer lines. */
const TURN_LINES = BATCH_LINES
const TURN_CHARACTERS = 1024 * 1024
const costOf = (characters: number, lines: number) => Math.max(lines / TURN_LINES, characters / TURN_CHARACTERS)

interface BatchParts extends Pick<LogBatch, 'lines' | 'from' | 'isLast' | 'before'> {
  readonly row: LogChunk
  readonly strip: boolean
}

/** Lines are stripped whole, so that an escape sequence may be in two chunks. */
function batchOf({ row, lines, from, isLast, before, strip }: BatchParts): { value: LogBatch; size: number } {
  const characters = lines.reduce((sum, line) => sum + line.length, 0)
  const value: LogBatch = {
    kind: 'log',
    stream: row.stream,
    at: row.at,
    lines: strip ? lines.map((line) => stripAnsi(line)) : lines,
    from,
    isLast,
    before,
    after: { ...before, chunk: row.seq, line: from + lines.length },
    cost: costOf(characters, lines.length),
  }
  return { value, size: batchSizeOf(characters, lines.length) }
}

/** One instance for each hub process. */
export class JobLogs implements SharedLogs {
  readonly #parts: Parts
  readonly #chunks = new LRUCache<string, Promise<ReadChunk>>({ maxSize: CACHE_BYTES, max: MAX_ENTRIES })
  readonly #batches = new LRUCache<string, Promise<LogBatch | MetricBatch>>({ maxSize: CACHE_BYTES, max: MAX_ENTRIES })
  /** Loaders of a read for several jobs at once. */
  readonly #heads = new Map<JobLog, DataLoader<string, LogHead | null>>()
  /** The last read of each job. It is of no use to a follower that was woken after it had started. */
  readonly #lastHeads = new LRUCache<string, HeadRead>({ max: MAX_ENTRIES })

  constructor(parts: Parts) {
    this.#parts = parts
  }

  head(log: JobLog, jobId: string, since: number): Promise<LogHead | null> {
    const last = this.#lastHeads.get(jobId)
    if (last && last.beganAt >= since) return last.head
    const { db } = this.#parts
    const heads =
      this.#heads.get(log) ?? new DataLoader((ids) => withoutShare(() => readHeads(db, log, ids)), { cache: false })
    this.#heads.set(log, heads)
    const made = { beganAt: performance.now(), head: heads.load(jobId) }
    this.#lastHeads.set(jobId, made)
    // What failed is told to those who wait for it.
    made.head.catch(() => this.#lastHeads.peek(jobId) === made && this.#lastHeads.delete(jobId))
    return made.head
  }

  logBatch(
    log: JobLog,
    jobId: string,
    { seq, from, before, strip }: LinesWanted & { readonly seq: number; readonly from: number },
  ): Promise<LogBatch> {
    const key = `${jobId}/${seq}/${from}/${before.chunk}.${before.line}-${before.metric}/${strip}`
    return this.#kept(this.#batches, key, async () => {
      const { row, lines } = await this.#readChunk(log, jobId, seq)
      const cut = lines.slice(from, Math.min(from + BATCH_LINES, row.lineCount))
      if (from === 0 && cut[0] !== undefined && row.lineFrom !== null)
        cut[0] = joined(await this.#readOpen(log, jobId, row.lineFrom, seq - 1), cut[0])
      const isLast = from + cut.length >= row.lineCount
      return batchOf({ row, lines: cut, from, isLast, before, strip })
    }) as Promise<LogBatch>
  }

  openLine(log: JobLog, jobId: string, head: LogHead, { before, strip }: LinesWanted): Promise<LogBatch> {
    const { logSeq, openFrom } = head
    if (openFrom === null) throw new Error('The log has no open line.')
    const key = `${jobId}/open/${logSeq}/${before.chunk}.${before.line}-${before.metric}/${strip}`
    return this.#kept(this.#batches, key, async () => {
      const { row } = await this.#readChunk(log, jobId, logSeq)
      const lines = linesOf(await this.#readOpen(log, jobId, openFrom, logSeq))
      // A notice of the hub may be the last chunk.
      return batchOf({ row: { ...row, stream: 'stdout' }, lines, from: row.lineCount, isLast: true, before, strip })
    }) as Promise<LogBatch>
  }

  metricBatch(metrics: JobMetrics, jobId: string, head: LogHead, before: LogPosition): Promise<MetricBatch> {
    const key = `${jobId}/m/${before.chunk}.${before.line}-${before.metric}/${head.metricsSeq}/${head.epoch}`
    return this.#kept(this.#batches, key, async () => {
      const { rows, reaches } = await metrics.read(this.#parts, jobId, before.metric, head.metricsSeq)
      const characters = rows.reduce((sum, { line }) => sum + line.length, 0)
      const cost = costOf(characters, rows.length)
      const batch: MetricBatch = { kind: 'metric', rows, before, after: { ...before, metric: reaches }, cost }
      return { value: batch, size: batchSizeOf(characters, rows.length) }
    }) as Promise<MetricBatch>
  }

  /**
   * The text of the line that is open after chunk `to` and began in chunk `from`: a hundred chunks and a few more than
   * 1 MiB at most.
   */
  async #readOpen(log: JobLog, jobId: string, from: number, to: number): Promise<string> {
    const seqs = Array.from({ length: to - from + 1 }, (_, place) => from + place)
    const chunks = await pMap(seqs, (seq) => this.#readChunk(log, jobId, seq), { concurrency: READ_AT_ONCE })
    return chunks.map(({ row, openEnd }) => (row.stream === 'stdout' ? openEnd : '')).join('')
  }

  #readChunk(log: JobLog, jobId: string, seq: number): Promise<ReadChunk> {
    return this.#kept(this.#chunks, `${jobId}/${seq}`, async () => {
      const row = await readChunk(this.#parts.db, log, jobId, seq)
      const text =
        row.key === null ? (row.text ?? '') : await readJobObject(this.#parts, row.key, partOfLog(jobId, seq))
      const lines = linesOf(text)
      return {
        value: { row, lines, openEnd: openEndOf(text, row.lineCount) },
        size: sizeOf(row.byteCount, lines.length),
      }
    })
  }

  /** Creates a value once for all concurrent callers and caches it up to the size limit; a failure is not cached. */
  #kept<T extends object>(
    cache: LRUCache<string, Promise<T>>,
    key: string,
    make: () => Promise<{ value: T; size: number }>,
  ): Promise<T> {
    const known = cache.get(key)
    if (known) return known
    const making = withoutShare(make)
    const made = making.then(({ value }) => value)
    cache.set(key, made, { size: 1 })
    making.then(
      ({ size }) => resize(cache, key, made, size),
      () => cache.peek(key) === made && cache.delete(key),
    )
    return made
  }
}
