/**
 * A pool of reading processes, started lazily and reused; further readings wait, each asker's in a queue of its own.
 */
import { type ChildProcess, fork } from 'node:child_process'
import module from 'node:module'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import { deferred } from './deferred.ts'
import { MAX_WAITING_OF_ASKER, MAX_WAITING_READINGS, READER_HEAP_MIB, READER_SEMI_SPACE_MIB } from './limits.ts'
import { ReadingUnavailable } from './unavailable.ts'

/** A module that runs as a process, and its arguments. */
export type Program = readonly [file: string, ...args: string[]]

export interface ReaderSlots {
  /**
   * Runs `work` with a process of its own; the process is kept for the next one where it still lives. Rejects with
   * `ReadingUnavailable` where too many wait. Askers take turns: one with many readings delays others by one.
   */
  use<T>(asker: string, signal: AbortSignal, work: (reader: ChildProcess) => Promise<T>): Promise<T>
  /** Ends all processes; running work rejects as with any process exit. */
  close(): void
}

/** At most `count` processes of `program`. */
export function readerSlots(program: Program, count: number): ReaderSlots {
  const idle: ChildProcess[] = []
  const busy = new Set<ChildProcess>()
  /** None of them empty, in the order in which they are served. */
  const queues = new Map<string, (() => void)[]>()
  let free = count
  let closed = false

  const take = async (asker: string, signal: AbortSignal): Promise<void> => {
    if (closed) throw new ReadingUnavailable('The hub is stopping; try again.')
    if (free > 0) {
      free -= 1
      return
    }
    const queue = queues.get(asker) ?? []
    const waiting = [...queues.values()].reduce((sum, { length }) => sum + length, 0)
    if (queue.length >= MAX_WAITING_OF_ASKER || waiting >= MAX_WAITING_READINGS) {
      throw new ReadingUnavailable('Too many models are being read; try again soon.')
    }
    const { promise, resolve, reject } = deferred<void>()
    const leave = () => {
      const place = queue.indexOf(resolve)
      // `use` releases a slot that was already handed over.
      if (place === -1) return
      queue.splice(place, 1)
      if (queue.length === 0) queues.delete(asker)
      reject(signal.reason)
    }
    queue.push(resolve)
    queues.set(asker, queue)
    signal.addEventListener('abort', leave, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }
  const releaseSlot = () => {
    const [first] = queues
    if (!first) {
      free += 1
      return
    }
    const [asker, queue] = first
    const next = queue.shift()
    queues.delete(asker)
    if (queue.length > 0) queues.set(asker, queue)
    next?.()
  }

  const release = (reader: ChildProcess) => {
    busy.delete(reader)
    keepsProcess(reader, false)
    if (isAlive(reader) && !closed) idle.push(reader)
  }

  return {
    async use(asker, signal, work) {
      signal.throwIfAborted()
      await take(asker, signal)
      let reader: ChildProcess | undefined
      try {
        signal.throwIfAborted()
        reader = idle.pop()
        while (reader && !isAlive(reader)) reader = idle.pop()
        reader ??= startReader(program)
        busy.add(reader)
        keepsProcess(reader, true)
        return await work(reader)
      } finally {
        if (reader) release(reader)
        releaseSlot()
      }
    },
    close() {
      closed = true
      for (const reader of [...idle.splice(0), ...busy]) reader.kill('SIGKILL')
    },
  }
}

/** Enough for an error with its stack. */
const STDERR_TAIL_CHARS = 4_000

const stderrTails = new WeakMap<ChildProcess, string>()

/** What a process wrote before it ended, for the log. */
export function stderrTailOf(reader: ChildProcess): string {
  return stderrTails.get(reader) ?? ''
}

/**
 * Node 20 keeps none. A process that has to compile the reader takes 390 ms of processor until it listens, one that
 * finds it compiled 110 ms.
 */
function compiledCode(): { NODE_COMPILE_CACHE?: string } {
  const ofThisVersion = module.getCompileCacheDir?.()
  return ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) }
}

function startReader([file, ...args]: Program): ChildProcess {
  const reader = fork(file, args, {
    // Models are untrusted: the process gets none of the hub's settings, but where compiled code is kept.
    env: compiledCode(),
    execArgv: [`--max-old-space-size=${READER_HEAP_MIB}`, `--max-semi-space-size=${READER_SEMI_SPACE_MIB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  reader.stderr?.on('data', (chunk: Buffer) => {
    stderrTails.set(reader, `${stderrTails.get(reader) ?? ''}${chunk}`.slice(-STDERR_TAIL_CHARS))
  })
  // Without a listener, a failure to start or to send would end the hub; the exit that follows rejects the pending
  // work.
  reader.on('error', () => reader.kill('SIGKILL'))
  return reader
}

const isAlive = (reader: ChildProcess) =>
  reader.exitCode === null && reader.signalCode === null && !reader.killed && reader.connected

/** An idle reader does not keep the hub or a command from ending. */
function keepsProcess(reader: ChildProcess, keeps: boolean): void {
  const words = reader.stderr as Socket | null
  if (keeps) {
    reader.ref()
    reader.channel?.ref()
    words?.ref()
  } else {
    reader.unref()
    reader.channel?.unref()
    words?.unref()
  }
}
