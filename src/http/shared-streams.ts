/**
 * Connections of graphql-sse's single connection mode: reserved with a token that the hub makes, read by one request, fed by operations of others. Nothing is
 * computed that has no reader: what waits are the operations as they came, which are few and small, never their results.
 */
import { randomUUID } from 'node:crypto'
import type { ExecutionResult } from 'graphql'
import { HubError } from '../platform/errors.ts'
import { completeMessage, nextMessage } from './stream-messages.ts'
import type { StreamOutlet } from './stream-outlet.ts'

export interface SharedStreamLimits {
  /** How long a reservation waits for its reader. */
  readonly unreadMs: number
  /** Of operations that wait for it. */
  readonly waitingBytes: number
}

const defaultLimits: SharedStreamLimits = { unreadMs: 60_000, waitingBytes: 1024 * 1024 }

/** What an operation takes in memory besides its own text. */
const OPERATION_BYTES = 1024
/** Queries and mutations whose result is being made or has not left. */
const MAX_UNDER_WAY = 8

type Results = ExecutionResult | AsyncIterable<ExecutionResult>

export interface SharedOperation {
  readonly id: string
  /** Of the request that asked for it. */
  readonly bytes: number
  readonly ending: AbortController
  start(): Promise<Results>
  /** What its reader is told when it fails. */
  failed(error: unknown): ExecutionResult
  /** Called once, when nothing more comes of it. */
  release(): void
}

/** By token; a `Map`, because tokens are the text of strangers. */
export class SharedStreams {
  readonly #byToken = new Map<string, SharedStream>()
  readonly #limits: SharedStreamLimits

  constructor(limits: Partial<SharedStreamLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** A new one that waits for its reader; `release` is called when it has waited in vain or has found one. */
  reserve(release: () => void): string {
    const token = randomUUID()
    const { unreadMs, waitingBytes } = this.#limits
    const stream = new SharedStream(token, waitingBytes, release)
    this.#byToken.set(token, stream)
    const late = setTimeout(() => stream.end(), unreadMs).unref()
    stream.onRead = () => clearTimeout(late)
    stream.onEnd = () => {
      clearTimeout(late)
      this.#byToken.delete(token)
    }
    return token
  }

  find(token: string): SharedStream | null {
    return this.#byToken.get(token) ?? null
  }

  endAll(): void {
    for (const stream of this.#byToken.values()) stream.end()
  }
}

class SharedStream {
  readonly token: string
  onRead: () => void = () => undefined
  onEnd: () => void = () => undefined
  readonly #maxWaitingBytes: number
  readonly #release: () => void
  readonly #operations = new Map<string, SharedOperation>()
  #waiting: SharedOperation[] = []
  #waitingBytes = 0
  #underWay = 0
  #outlet: StreamOutlet | null = null
  #isRead = false

  constructor(token: string, maxWaitingBytes: number, release: () => void) {
    this.token = token
    this.#maxWaitingBytes = maxWaitingBytes
    this.#release = release
  }

  /** The first reader has it alone; 409 for any other. */
  claim(): void {
    if (this.#isRead) throw new HubError('conflict.in_progress', 'The stream is read by another request already.')
    this.#isRead = true
    this.onRead()
    this.#release()
  }

  /** Feeds its reader until it has gone. */
  async feed(outlet: StreamOutlet): Promise<void> {
    this.#outlet = outlet
    await outlet.write(':\n\n')
    this.#startNext()
    await outlet.closed
    this.end()
  }

  /** Takes an operation on; 409 for an id that is taken, 429 where too much waits already. */
  add(operation: SharedOperation): void {
    if (this.#operations.has(operation.id))
      throw new HubError('conflict.taken', 'An operation with this id is under way on the stream.')
    const bytes = operation.bytes + OPERATION_BYTES
    if (this.#waitingBytes + bytes > this.#maxWaitingBytes) throw full(this.#maxWaitingBytes)
    this.#operations.set(operation.id, operation)
    this.#waiting.push(operation)
    this.#waitingBytes += bytes
    this.#startNext()
  }

  /** Nothing more comes of the operation. */
  complete(id: string): void {
    const operation = this.#operations.get(id)
    if (!operation) return
    this.#operations.delete(id)
    if (this.#waiting.includes(operation)) {
      this.#waiting = this.#waiting.filter((one) => one !== operation)
      this.#waitingBytes -= operation.bytes + OPERATION_BYTES
    }
    operation.ending.abort()
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
    while (this.#outlet && this.#underWay < MAX_UNDER_WAY) {
      const operation = this.#waiting.shift()
      if (!operation) return
      this.#waitingBytes -= operation.bytes + OPERATION_BYTES
      void this.#run(operation, this.#outlet)
    }
  }

  async #run(operation: SharedOperation, outlet: StreamOutlet): Promise<void> {
    const { id } = operation
    let isCounted = true
    this.#underWay += 1
    const countNoMore = () => {
      if (!isCounted) return
      isCounted = false
      this.#underWay -= 1
      this.#startNext()
    }
    try {
      const results = await operation.start()
      const isLong = Symbol.asyncIterator in results
      // One that lasts asks for its next result when the last has left: it holds one at most and keeps no other waiting.
      if (isLong) countNoMore()
      for await (const result of isLong ? results : [results]) {
        if (this.#operations.get(id) !== operation || !(await outlet.write(nextMessage(result, id)))) break
      }
    } catch (error) {
      await outlet.write(nextMessage(operation.failed(error), id))
    }
    if (this.#operations.get(id) === operation) {
      this.complete(id)
      await outlet.write(completeMessage(id))
    }
    countNoMore()
  }
}

function full(maxBytes: number): HubError {
  const detail = `Operations that wait for the reader of a stream take ${maxBytes} bytes at most; read what is there first.`
  return new HubError('rate.limited', detail, { headers: { 'retry-after': '1' } })
}
