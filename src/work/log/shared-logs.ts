/**
 * Shared state of all followers of this hub. A chunk is read from the store and split into lines once, a batch is built once, and followers woken by
 * one hint share one read of their job's end. A follower itself has only its position and requests the next batch after it has written the last one, so a
 * slow follower costs no memory.
 */
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import stripAnsi from 'strip-ansi'
import type { Deps } from '../../operation/context.ts'
import { readJobObject } from '../job-objects.ts'
import type { JobLog, JobMetrics, LogHead } from './job-log.ts'
import type { LogBatch, MetricBatch, SharedLogs } from './log-batch.ts'
import { type LogChunk, partOfLog, readChunk, readHeads } from './log-chunks.ts'
import { linesOf } from './log-lines.ts'
import type { LogPosition } from './position.ts'

type Parts = Pick<Deps, 'db' | 'objects'>

/** A chunk with its lines. */
interface ReadChunk {
  readonly row: LogChunk
  readonly lines: readonly string[]
}

/** Size of each cache. JavaScript strings take up to two bytes per character, and each line is an object of about `LINE_BYTES`. */
const CACHE_BYTES = 64 * 1024 * 1024
const LINE_BYTES = 64
const MAX_ENTRIES = 5000
/** A chunk of 256 KiB can have as many lines as bytes, and a batch is built and sent in one turn of the event loop. */
const BATCH_LINES = 2000
const sizeOf = (bytes: number, lines: number) => 256 + 2 * bytes + LINE_BYTES * lines
/** A reader caches with a batch a text as long as its lines, plus an event around each line. */
const EVENT_BYTES = 128
const batchSizeOf = (characters: number, lines: number) => sizeOf(2 * characters, lines) + EVENT_BYTES * lines
/** A turn of the event loop sends one full batch, or this number of characters in fewer lines. */
const TURN_LINES = BATCH_LINES
const TURN_CHARACTERS = 1024 * 1024
const costOf = (characters: number, lines: number) => Math.max(lines / TURN_LINES, characters / TURN_CHARACTERS)

/** One instance for each hub process. */
export class JobLogs implements SharedLogs {
  readonly #parts: Parts
  readonly #chunks = new LRUCache<string, Promise<ReadChunk>>({ maxSize: CACHE_BYTES, max: MAX_ENTRIES })
  readonly #batches = new LRUCache<string, Promise<LogBatch | MetricBatch>>({ maxSize: CACHE_BYTES, max: MAX_ENTRIES })
  /** Nothing is cached: a follower woken after a read has started needs a new read. */
  readonly #heads = new Map<JobLog, DataLoader<string, LogHead | null>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  head(log: JobLog, jobId: string): Promise<LogHead | null> {
    const { db } = this.#parts
    const heads = this.#heads.get(log) ?? new DataLoader((ids) => readHeads(db, log, ids), { cache: false })
    this.#heads.set(log, heads)
    return heads.load(jobId)
  }

  logBatch(
    log: JobLog,
    jobId: string,
    seq: number,
    from: number,
    before: LogPosition,
    strip: boolean,
  ): Promise<LogBatch> {
    const key = `${jobId}/${seq}/${from}/${before.chunk}.${before.line}-${before.metric}/${strip}`
    return this.#kept(this.#batches, key, async () => {
      const { row, lines } = await this.#readChunk(log, jobId, seq)
      const cut = lines.slice(from, from + BATCH_LINES)
      const reaches = from + cut.length
      const characters = cut.reduce((sum, line) => sum + line.length, 0)
      const batch: LogBatch = {
        kind: 'log',
        stream: row.stream,
        at: row.at,
        lines: strip ? cut.map((line) => stripAnsi(line)) : cut,
        from,
        isLast: reaches >= lines.length,
        before,
        after: { ...before, chunk: seq, line: reaches },
        cost: costOf(characters, cut.length),
      }
      return { value: batch, size: batchSizeOf(characters, cut.length) }
    }) as Promise<LogBatch>
  }

  metricBatch(metrics: JobMetrics, jobId: string, head: LogHead, before: LogPosition): Promise<MetricBatch> {
    const key = `${jobId}/m/${before.chunk}.${before.line}-${before.metric}/${head.metricsSeq}/${head.epoch}`
    return this.#kept(this.#batches, key, async () => {
      const { rows, reaches } = await metrics.read(this.#parts.db, jobId, before.metric, head.metricsSeq)
      const characters = rows.reduce((sum, { line }) => sum + line.length, 0)
      const cost = costOf(characters, rows.length)
      const batch: MetricBatch = { kind: 'metric', rows, before, after: { ...before, metric: reaches }, cost }
      return { value: batch, size: batchSizeOf(characters, rows.length) }
    }) as Promise<MetricBatch>
  }

  #readChunk(log: JobLog, jobId: string, seq: number): Promise<ReadChunk> {
    return this.#kept(this.#chunks, `${jobId}/${seq}`, async () => {
      const row = await readChunk(this.#parts.db, log, jobId, seq)
      const text =
        row.key === null ? (row.text ?? '') : await readJobObject(this.#parts, row.key, partOfLog(jobId, seq))
      return { value: { row, lines: linesOf(text) }, size: sizeOf(row.byteCount, row.lineCount) }
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
    const making = make()
    const made = making.then(({ value }) => value)
    cache.set(key, made, { size: 1 })
    making.then(
      ({ size }) => cache.peek(key) === made && cache.set(key, made, { size }),
      () => cache.peek(key) === made && cache.delete(key),
    )
    return made
  }
}
