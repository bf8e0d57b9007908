/**
 * The threads that read models. A reading that takes too long or too much memory ends with its thread, and is a fault of the model; the others go on.
 * A thread is started by the first reading, and kept.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Logger } from 'pino'
import { Tinypool } from 'tinypool'
import { HubError } from '../errors.ts'
import type { ModelFiles } from '../mjcf/model-files.ts'
import type { ModelReading } from '../mjcf/reading.ts'
import {
  MAX_WAITING_READINGS,
  MAX_WAVES,
  PARSE_WALL_MS,
  READING_THREADS,
  THREAD_HEAP_MIB,
  THREAD_START_MS,
  THREAD_YOUNG_MIB,
} from './limits.ts'
import { parseClock } from './parse-clock.ts'
import type { Ask, ReadingTask, Reply } from './protocol.ts'
import { overLimitReading } from './refused-reading.ts'

/** Files as the pool asks for them: all that are needed at the same time, in one call. */
export interface FileWaves {
  readFiles(paths: readonly string[], signal: AbortSignal): Promise<readonly (Uint8Array<ArrayBuffer> | null)[]>
  sizesOf(paths: readonly string[], signal: AbortSignal): ReturnType<ModelFiles['sizesOf']>
}

export interface PoolReading {
  readonly reading: ModelReading
  /** Whether the model was read to its end: a thread that was stopped says nothing that holds for another time or machine. */
  readonly whole: boolean
}

export interface ReadingPool {
  /** Never rejects for what a model holds: only with what `files` rejects, `signal`'s reason, or 503 where too many wait. */
  read(files: FileWaves, entry: string, signal: AbortSignal): Promise<PoolReading>
  close(): Promise<void>
}

export interface PoolOptions {
  readonly log: Logger
  /** The module of a thread; tests have their own. */
  readonly worker?: URL
  /** As many as a hub has, unless given. */
  readonly threads?: number
}

/** Starts no thread yet. */
export function openReadingPool(options: PoolOptions): ReadingPool {
  let threads: Tinypool | null = null
  let closed = false
  return {
    async read(files, entry, signal) {
      signal.throwIfAborted()
      if (closed) throw new HubError('unavailable', 'The hub is stopping; try again.')
      threads ??= startThreads(options)
      if (threads.queueSize >= MAX_WAITING_READINGS) {
        throw new HubError('unavailable', 'Too many models are being read; try again soon.')
      }
      return readOnce(threads, files, entry, signal)
    },
    async close() {
      closed = true
      await threads?.destroy()
    },
  }
}

const readingWorker = new URL('./reading-worker.ts', import.meta.url)

function startThreads({ log, worker = readingWorker, threads: count = READING_THREADS }: PoolOptions): Tinypool {
  const threads = new Tinypool({
    filename: worker.href,
    // The pool replaces a stopped thread only up to its minimum; with none, readings that wait would wait for ever.
    minThreads: count,
    maxThreads: count,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB, maxYoungGenerationSizeMb: THREAD_YOUNG_MIB },
    // A model is a stranger's: nothing of the hub's settings belongs near it.
    env: {},
  })
  // An idle thread that ends reports here; unheard, the report would end the process.
  threads.on('error', (error: unknown) => log.error({ err: error }, 'a reading thread ended'))
  return threads
}

/** How a reading was stopped from here, if it was. */
type Stop = { readonly why: 'time' | 'depth' } | { readonly why: 'failure'; readonly error: unknown }

async function readOnce(threads: Tinypool, files: FileWaves, entry: string, signal: AbortSignal): Promise<PoolReading> {
  const stopper = new AbortController()
  let stopped: Stop | null = null
  const stop = (reason: Stop) => {
    stopped ??= reason
    stopper.abort()
  }
  const onAbort = () => stop({ why: 'failure', error: signal.reason })
  signal.addEventListener('abort', onAbort, { once: true })
  const { port1, port2 } = new MessageChannel()
  const endAnswers = answer(port1, files, stopper.signal, stop)
  try {
    const task: ReadingTask = { entry, port: port2 }
    const reading: ModelReading = await threads.run(task, { transferList: [port2], signal: stopper.signal })
    return { reading, whole: true }
  } catch (error) {
    return { reading: afterStop(entry, stopped, error), whole: false }
  } finally {
    signal.removeEventListener('abort', onAbort)
    endAnswers()
  }
}

/** Answers a thread until the function that it returns is called. */
function answer(port: MessagePort, files: FileWaves, signal: AbortSignal, stop: (reason: Stop) => void): () => void {
  const clock = parseClock(PARSE_WALL_MS, () => stop({ why: 'time' }))
  let starting: NodeJS.Timeout | undefined = setTimeout(() => {
    stop({ why: 'failure', error: new HubError('unavailable', 'The hub is too busy to read the model; try again.') })
  }, THREAD_START_MS)
  let underWay = 0
  let waves = 0
  const reply = async (ask: Exclude<Ask, { kind: 'begin' }>): Promise<void> => {
    if (ask.kind === 'read') waves += 1
    if (waves > MAX_WAVES) return stop({ why: 'depth' })
    underWay += 1
    clock.hold()
    try {
      const message: Reply =
        ask.kind === 'read'
          ? { id: ask.id, files: await files.readFiles(ask.paths, signal) }
          : { id: ask.id, sizes: await files.sizesOf(ask.paths, signal) }
      const buffers =
        'files' in message ? message.files.flatMap((file) => (file ? [file.buffer as ArrayBuffer] : [])) : []
      port.postMessage(message, buffers)
    } catch (error) {
      stop({ why: 'failure', error })
    } finally {
      underWay -= 1
      if (underWay === 0 && !signal.aborted) clock.run()
    }
  }
  port.on('message', (ask: Ask) => {
    if (ask.kind === 'begin') {
      clearTimeout(starting)
      starting = undefined
      clock.run()
    } else if (!signal.aborted) void reply(ask)
  })
  return () => {
    clearTimeout(starting)
    clock.hold()
    port.close()
  }
}

function afterStop(entry: string, stopped: Stop | null, error: unknown): ModelReading {
  if (stopped?.why === 'failure') throw stopped.error
  const hint =
    'Make the model smaller: fewer copies, includes or inline numbers; put meshes and height fields into files.'
  if (stopped?.why === 'time') {
    return overLimitReading(entry, `Reading the model takes longer than ${PARSE_WALL_MS / 1000} s.`, hint)
  }
  if (stopped?.why === 'depth') {
    return overLimitReading(entry, `The files of the model include each other more than ${MAX_WAVES} deep.`, hint)
  }
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return overLimitReading(entry, `Reading the model takes more than ${THREAD_HEAP_MIB} MiB of memory.`, hint)
  }
  if (error instanceof RangeError) {
    return overLimitReading(entry, 'The model is nested too deeply to be read.', hint)
  }
  throw error
}
