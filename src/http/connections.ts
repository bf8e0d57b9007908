/**
 * One stall rule for every client, whether it sends or receives: a body, an upload part, a response, a download, an
 * event stream. While the hub waits for the client, a minimum of bytes must move per window, or the connection is
 * closed. Total time is not limited: a slow upload of 50 GiB succeeds.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HubError } from '../platform/errors.ts'
import { problemResponse } from './refuse-connection.ts'

export interface StallRule {
  readonly windowMs: number
  /** Fewer bytes than this per window count as stalled. */
  readonly minBytes: number
}

export interface ConnectionRules {
  readonly stall: StallRule
  /** Applies during shutdown, when the hub waits only for connections that make progress. */
  readonly stopping: StallRule
}

const defaultRules: ConnectionRules = {
  stall: { windowMs: 30_000, minBytes: 16 * 1024 },
  stopping: { windowMs: 2_000, minBytes: 1024 },
}

const CHECK_MS = 5_000
const CHECKS_PER_WINDOW = 4
const STOPPING_CHECK_MS = 50

/** A byte count and the time it was observed. */
interface Mark {
  bytes: number
  atMs: number
}

interface Connection {
  readonly socket: Socket
  /** The latest request on this connection: HTTP/1.1 sends requests one after another. */
  request: IncomingMessage | null
  response: ServerResponse | null
  readonly received: Mark
  readonly taken: Mark
}

/** Monitors the connections of a server with a single timer. */
export class Connections {
  readonly #open = new Set<Connection>()
  readonly #rules: ConnectionRules
  readonly #nowMs: () => number
  #timer: NodeJS.Timeout | null = null
  #isStopping = false
  #everyMs = CHECK_MS
  #seenMs: number
  #runningMs = 0

  constructor(server: Server, rules: Partial<ConnectionRules> = {}, nowMs = () => performance.now()) {
    this.#rules = { ...defaultRules, ...rules }
    this.#nowMs = nowMs
    this.#seenMs = nowMs()
    const bySocket = new WeakMap<Socket, Connection>()
    server.on('connection', (socket: Socket) => bySocket.set(socket, this.#add(socket)))
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = bySocket.get(request.socket)
      if (!connection) return
      connection.request = request
      connection.response = response
    })
  }

  /** Shutdown: from now on only requests in progress that still move bytes are waited for. */
  stop(): void {
    this.#now()
    this.#isStopping = true
    this.#setTimer()
    this.check()
  }

  /** Closes stalled connections; called by the timer. */
  check(): void {
    const nowMs = this.#now()
    for (const connection of this.#open) {
      const { socket } = connection
      if (this.#isStopping && isIdle(connection)) socket.destroy()
      else if (this.#isStalled(connection.received, socket.bytesRead, isReceiving(connection), nowMs)) close(connection)
      else if (this.#isStalled(connection.taken, bytesTaken(socket), socket.writableLength > 0, nowMs))
        close(connection)
    }
  }

  #add(socket: Socket): Connection {
    const atMs = this.#now()
    const connection: Connection = {
      socket,
      request: null,
      response: null,
      received: { bytes: 0, atMs },
      taken: { bytes: 0, atMs },
    }
    this.#open.add(connection)
    if (!this.#timer) this.#setTimer()
    socket.once('close', () => {
      this.#open.delete(connection)
      if (this.#open.size > 0 || !this.#timer) return
      clearInterval(this.#timer)
      this.#timer = null
    })
    return connection
  }

  #setTimer(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#everyMs = this.#isStopping
      ? STOPPING_CHECK_MS
      : Math.min(CHECK_MS, this.#rules.stall.windowMs / CHECKS_PER_WINDOW)
    this.#timer = setInterval(() => this.check(), this.#everyMs).unref()
  }

  /**
   * The time in which this process runs. While it stands still (a paused machine, one that is too busy), what clients
   * have sent is not read: a check that comes late counts as two at most.
   */
  #now(): number {
    const nowMs = this.#nowMs()
    this.#runningMs += Math.min(nowMs - this.#seenMs, 2 * this.#everyMs)
    this.#seenMs = nowMs
    return this.#runningMs
  }

  #isStalled(mark: Mark, bytes: number, isWaiting: boolean, nowMs: number): boolean {
    const { windowMs, minBytes } = this.#isStopping ? this.#rules.stopping : this.#rules.stall
    if (isWaiting && bytes - mark.bytes < minBytes) return nowMs - mark.atMs >= windowMs
    mark.bytes = bytes
    mark.atMs = nowMs
    return false
  }
}

/** The body is incomplete and everything received so far has been read. */
function isReceiving({ request }: Connection): boolean {
  return request !== null && !request.complete && request.readableLength === 0
}

/** Bytes handed to the kernel. */
function bytesTaken(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}

/** No request yet, or all requests have been answered. */
function isIdle({ response }: Connection): boolean {
  return response === null || response.writableFinished
}

function close({ socket, request, response }: Connection): void {
  const canRespond = request && !request.complete && response && !response.headersSent && socket.writableLength === 0
  if (canRespond) {
    const id = response.getHeader('x-request-id')
    const refusal = new HubError('timeout.request', 'The body did not arrive in time; send the request again.')
    socket.write(problemResponse(refusal, typeof id === 'string' ? id : undefined))
  }
  socket.destroy()
}
