/**
 * Models are read in separate processes, since exceeding a heap limit kills the whole process, even for a worker
 * thread. A reading that takes too long or too much memory is killed with its process and becomes a fault of the model;
 * others continue.
 */
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ModelFiles } from '../model-files.ts'
import { emptyReading, type ModelReading } from '../reading.ts'
import { deferred } from './deferred.ts'
import { MAX_WAVES, PARSE_WALL_MS, READER_HEAP_MIB, READER_START_MS, READING_PROCESSES } from './limits.ts'
import { parseClock } from './parse-clock.ts'
import { processorMsOf } from './processor-time.ts'
import type { Ask, FromReader, ToReader } from './protocol.ts'
import { type Program, readerSlots, stderrTailOf } from './reader-slots.ts'
import { ReadingUnavailable } from './unavailable.ts'

/** Files as the pool requests them: all that are needed at the same time, in one call. */
export interface FileWaves {
  readFiles(paths: readonly string[], signal: AbortSignal): Promise<readonly (Uint8Array | null)[]>
  sizesOf(paths: readonly string[], signal: AbortSignal): ReturnType<ModelFiles['sizesOf']>
}

export interface PoolReading {
  readonly reading: ModelReading
  /** Whether the model was read completely: a stopped reading may not be cached. */
  readonly whole: boolean
}

export interface ReadingPool {
  /**
   * Never rejects for what a model holds: only with what `files` rejects, `signal`'s reason, or `ReadingUnavailable`
   * where too many wait. Askers take turns.
   */
  read(files: FileWaves, entry: string, signal: AbortSignal, asker?: string): Promise<PoolReading>
  close(): Promise<void>
}

export interface PoolOptions {
  /** Hears of models that exceed a limit of the reader. */
  readonly log?: { info(facts: object, message: string): void }
  /** The module of a process; tests have their own. */
  readonly reader?: URL
  /** How a module is started, where that is not by its file: a bundle has several modules in one. */
  readonly programOf?: (module: URL) => Program
  /** As many as a hub has, unless given. */
  readonly processes?: number
}

/** Processes are started lazily. */
export function openReadingPool(options: PoolOptions): ReadingPool {
  const {
    log,
    reader: module = new URL('./reading-child.ts', import.meta.url),
    processes = READING_PROCESSES,
    programOf = (file: URL) => [fileURLToPath(file)] as const,
  } = options
  const slots = readerSlots(programOf(module), processes)
  return {
    read: (files, entry, signal, asker = '') =>
      slots.use(asker, signal, (reader) => readWith({ reader, files, entry, signal, log })),
    close: async () => slots.close(),
  }
}

/** How a reading ended. `memory`: the process exceeded its heap. */
type End =
  | { readonly why: 'done'; readonly reading: ModelReading }
  | { readonly why: 'time' | 'depth' | 'memory' | 'stack' }
  | { readonly why: 'failure'; readonly error: unknown }

async function readWith({
  reader,
  files,
  entry,
  signal,
  log,
}: {
  readonly reader: ChildProcess
  readonly files: FileWaves
  readonly entry: string
  readonly signal: AbortSignal
  readonly log: PoolOptions['log']
}): Promise<PoolReading> {
  const end = await exchange(reader, files, entry, signal)
  if (end.why === 'done') return { reading: end.reading, whole: true }
  if (end.why === 'failure') throw end.error
  log?.info({ entry, why: end.why }, 'a model exceeded a limit of the reader')
  return { reading: overLimitReading(entry, overLimit[end.why], HINT), whole: false }
}

const HINT =
  'Make the model smaller: fewer copies, includes or inline numbers; put meshes and height fields into files.'

/** V8's message; other range errors are faults of the reader. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded'

const overLimit = {
  time: `Reading the model takes longer than ${PARSE_WALL_MS / 1000} s.`,
  memory: `Reading the model takes more than ${READER_HEAP_MIB} MiB of memory.`,
  stack: 'The model is nested too deeply to be read.',
  depth: `The files of the model include each other more than ${MAX_WAVES} deep.`,
}

/**
 * On a busy machine a reading gets less CPU time than wall time: it is granted the difference, up to four times the
 * limit.
 */
function moreTimeFor(
  reader: ChildProcess,
  began: { readonly wall: number; readonly processor: number | null },
): number {
  const now = processorMsOf(reader.pid ?? 0)
  if (now === null || began.processor === null || performance.now() - began.wall > 4 * PARSE_WALL_MS) return 0
  return Math.max(0, PARSE_WALL_MS - (now - began.processor))
}

/** Runs one reading and serves its requests; kills the process if it does not finish in time. */
async function exchange(reader: ChildProcess, files: FileWaves, entry: string, signal: AbortSignal): Promise<End> {
  const stopper = new AbortController()
  const ended = deferred<End>()
  const clock = parseClock(PARSE_WALL_MS, () => {
    const moreMs = moreTimeFor(reader, beganMs)
    if (moreMs === 0) ended.resolve({ why: 'time' })
    return moreMs
  })
  const fail = (error: unknown) => ended.resolve({ why: 'failure', error })
  const say = (message: ToReader) => void (reader.connected && reader.send(message))
  const onAbort = () => fail(signal.reason)
  const beganMs = { wall: performance.now(), processor: processorMsOf(reader.pid ?? 0) }
  let waves = 0
  let underWay = 0

  const answer = async ({ kind, id, paths }: Ask): Promise<void> => {
    underWay += 1
    clock.hold()
    try {
      if (kind === 'read') say({ kind: 'files', id, files: await files.readFiles(paths, stopper.signal) })
      else say({ kind: 'sizes', id, sizes: await files.sizesOf(paths, stopper.signal) })
    } catch (error) {
      fail(error)
    }
    underWay -= 1
    if (underWay === 0 && !stopper.signal.aborted) clock.run()
  }
  const onMessage = (message: FromReader) => {
    switch (message.kind) {
      case 'begin':
        clearTimeout(starting)
        return clock.run()
      case 'done':
        return ended.resolve({ why: 'done', reading: message.reading })
      case 'failed':
        return ended.resolve(
          message.message === STACK_OVERFLOW ? { why: 'stack' } : { why: 'failure', error: thrown(message) },
        )
      default:
        if (message.kind === 'read') waves += 1
        if (waves > MAX_WAVES) return ended.resolve({ why: 'depth' })
        return void answer(message)
    }
  }
  const onExit = (code: number | null, killedBy: NodeJS.Signals | null) => {
    // V8 aborts when a heap is full.
    if (killedBy === 'SIGABRT' || code === 134) ended.resolve({ why: 'memory' })
    else if (killedBy === null) fail(new Error(`The reader of models ended with ${code}: ${stderrTailOf(reader)}`))
    else fail(new ReadingUnavailable(`The reading of the model was ended by ${killedBy}; try again.`))
  }
  const starting = setTimeout(() => {
    fail(new ReadingUnavailable('The hub is too busy to read the model; try again.'))
  }, READER_START_MS)

  reader.on('message', onMessage).once('close', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  say({ kind: 'model', entry })
  const end = await ended.promise
  stopper.abort(new Error('The reading has ended.'))
  clearTimeout(starting)
  clock.hold()
  signal.removeEventListener('abort', onAbort)
  reader.off('message', onMessage).off('close', onExit)
  if (end.why !== 'done') reader.kill('SIGKILL')
  return end
}

function thrown({ name, message, stack }: Extract<FromReader, { kind: 'failed' }>): Error {
  const error = new Error(`The reader of models failed: ${message}`)
  error.stack = `${name}: ${message}\n${stack}`
  return error
}

/** Nothing is known about the model except that it exceeds a limit. */
function overLimitReading(entry: string, message: string, hint: string): ModelReading {
  return {
    ...emptyReading(entry),
    files: [entry],
    faults: [{ kind: 'limit', message, file: entry, line: null, names: [entry], hint }],
    unread: message,
    asked: [{ path: entry, text: true }],
  }
}
