/**
 * Streams of graphql-sse's single connection mode: reserved with a token from the hub, read by one request, fed by
 * operations of other requests. Nothing is computed without a reader: the queue holds operations, which are few and
 * small, never results.
 */
import { randomUUID } from 'node:crypto'
import type { ExecutionResult } from 'graphql'
import { HubError } from '../platform/errors.ts'
import type { SentRequest } from './sent-request.ts'
import { completeMessage, nextMessage } from './stream-messages.ts'
import type { StreamOutlet } from './stream-outlet.ts'

export interface SharedStreamLimits {
  /** How long a reservation waits for its reader. */
  readonly unreadMs: number
  /** Maximum total size of queued operations. */
  readonly waitingBytes: number
}

const defaultLimits: SharedStreamLimits = { unreadMs: 60_000, waitingBytes: 1024 * 1024 }

/** Memory of an operation besides its text. */
const OPERATION_BYTES = 1024
/** Queries and mutations in execution or not yet sent. */
const MAX_CONCURRENT = 8

type Results = ExecutionResult | AsyncIterable<ExecutionResult>

export interface SharedOperation {
  readonly id: string
  /** Size of its request. */
  readonly bytes: number
  /** Its request, for the process that takes the stream. */
  readonly sent: SentRequest | null
  readonly abortOnClose: AbortController
  start(): Promise<Results>
  /** The result to send if it fails. */
  failed(error: unknown): ExecutionResult
  /** Called once, when the operation is over. */
  release(): void
}

/** By token; a `Map`, because tokens are untrusted input. */
export class SharedStreams {
  readonly #byToken = new Map<string, SharedStream>()
  readonly #limits: SharedStreamLimits

  constructor(limits: Partial<SharedStreamLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /**
   * Reserves a stream of this caller; `release` is called once it has a reader or has expired. With the token of one
   * that another process has given up.
   */
  reserve(caller: string, release: () => void, token: string = randomUUID()): string {
    const { unreadMs, waitingBytes } = this.#limits
    const stream = new SharedStream(caller, waitingBytes, release)
    this.#byToken.set(token, stream)
    const late = setTimeout(() => stream.end(), unreadMs).unref()
    stream.onRead = () => clearTimeout(late)
    stream.onEnd = () => {
      clearTimeout(late)
      this.#byToken.delete(token)
    }
    return token
  }

  /**
   * Null for the stream of another caller. A link that has another's token would add the operations of its follower,
   * by their cookie, for the other to read.
   */
  find(token: string, caller: string): SharedStream | null {
    const stream = this.#byToken.get(token)
    return stream?.caller === caller ? stream : null
  }

  /**
   * Ends a stream without a reader, for another process to have it, and returns the requests that wait. `read` if it
   * has a reader here; null if it is not here.
   */
  handOver(token: string, caller: string): readonly SentRequest[] | 'read' | null {
    const stream = this.find(token, caller)
    if (!stream || stream.isRead) return stream && 'read'
    const { waiting } = stream
    stream.end()
    return waiting
  }

  endAll(): void {
    for (const stream of this.#byToken.values()) stream.end()
  }
}

class SharedStream {
  readonly caller: string
  onRead: () => void = () => undefined
  onEnd: () => void = () => undefined
  readonly #maxWaitingBytes: number
  readonly #release: () => void
  readonly #operations = new Map<string, SharedOperation>()
  #waiting: SharedOperation[] = []
  #waitingBytes = 0
  #running = 0
  #outlet: StreamOutlet | null = null
  #isRead = false

  get isRead(): boolean {
    return this.#isRead
  }

  get waiting(): readonly SentRequest[] {
    return this.#waiting.flatMap(({ sent }) => sent ?? [])
  }

  constructor(caller: string, maxWaitingBytes: number, release: () => void) {
    this.caller = caller
    this.#maxWaitingBytes = maxWaitingBytes
    this.#release = release
  }

  /** The first reader gets exclusive access; 409 for any other. */
  claim(): void {
    if (this.#isRead) throw new HubError('conflict.in_progress', 'Another request is already reading the stream.')
    this.#isRead = true
    this.onRead()
    this.#release()
  }

  /** Serves its reader until the connection closes. */
  async feed(outlet: StreamOutlet): Promise<void> {
    this.#outlet = outlet
    await outlet.write(':\n\n')
    this.#startNext()
    await outlet.closed
    this.end()
  }

  /** Adds an operation; 409 for a duplicate id, 429 if the queue is full. */
  add(operation: SharedOperation): void {
    if (this.#operations.has(operation.id))
      throw new HubError('conflict.taken', 'An operation with this id is already active on the stream.')
    const bytes = operation.bytes + OPERATION_BYTES
    if (this.#waitingBytes + bytes > this.#maxWaitingBytes) throw full(this.#maxWaitingBytes, this.#waitingBytes)
    this.#operations.set(operation.id, operation)
    this.#waiting.push(operation)
    this.#waitingBytes += bytes
    this.#startNext()
  }

  /** Ends the operation. */
  complete(id: string): void {
    const operation = this.#operations.get(id)
    if (!operation) return
    this.#operations.delete(id)
    if (this.#waiting.includes(operation)) {
      this.#waiting = this.#waiting.filter((one) => one !== operation)
      this.#waitingBytes -= operation.bytes + OPERATION_BYTES
    }
    operation.abortOnClose.abort()
    operation.release()
  }

  end(): void {
    this.onEnd()
    if (!this.#isRead) this.#release()
    this.#isRead = true
    for (const id of this.#operations.keys()) this.complete(id)
    this.#outlet?.end()
  }

  #startNext(): void {
    while (this.#outlet && this.#running < MAX_CONCURRENT) {
      const operation = this.#waiting.shift()
      if (!operation) return
      this.#waitingBytes -= operation.bytes + OPERATION_BYTES
      void this.#run(operation, this.#outlet)
    }
  }

  async #run(operation: SharedOperation, outlet: StreamOutlet): Promise<void> {
    const { id } = operation
    let isCounted = true
    this.#running += 1
    const uncount = () => {
      if (!isCounted) return
      isCounted = false
      this.#running -= 1
      this.#startNext()
    }
    try {
      const results = await operation.start()
      const isLong = Symbol.asyncIterator in results
      // A subscription pulls its next result only after the last one is sent: it buffers one at most and does not block
      // others.
      if (isLong) uncount()
      for await (const result of isLong ? results : [results]) {
        if (this.#operations.get(id) !== operation || !(await outlet.write(nextMessage(result, { id })))) break
      }
    } catch (error) {
      await outlet.write(nextMessage(operation.failed(error), { id }))
    }
    if (this.#operations.get(id) === operation) {
      this.complete(id)
      await outlet.write(completeMessage(id))
    }
    uncount()
  }
}

function full(maxBytes: number, waitingBytes: number): HubError {
  const detail = `Operations queued for a stream are limited to ${maxBytes} bytes; read pending results first.`
  const facts = { unit: 'bytes', limit: maxBytes, used: waitingBytes, retryAfterS: 1 }
  return new HubError('rate.limited', detail, { facts })
}
