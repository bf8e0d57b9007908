/**
 * One rule for every peer that has stopped, whatever it sends or reads: a body, a part of an upload, an answer, a download, a stream of events. Where it is
 * the peer's turn, so many bytes move in a window or its connection is cut. There is no limit on the total time: a slow upload of 50 GiB goes through.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HubError } from '../platform/errors.ts'
import { problemResponse } from './refuse-connection.ts'

export interface StallRule {
  readonly windowMs: number
  /** Fewer than this in a window is stopping. */
  readonly minBytes: number
}

export interface ConnectionRules {
  readonly stall: StallRule
  /** While the hub stops, it waits only for connections that still make progress. */
  readonly stopping: StallRule
}

const defaultRules: ConnectionRules = {
  stall: { windowMs: 30_000, minBytes: 16 * 1024 },
  stopping: { windowMs: 2_000, minBytes: 1024 },
}

const LOOK_MS = 5_000
const LOOKS_IN_A_WINDOW = 4
const STOPPING_LOOK_MS = 50

/** Bytes that had moved, and when that was seen. */
interface Mark {
  bytes: number
  atMs: number
}

interface Connection {
  readonly socket: Socket
  /** The newest on this connection: HTTP/1.1 begins to send a request when the one before it is complete. */
  request: IncomingMessage | null
  response: ServerResponse | null
  readonly received: Mark
  readonly taken: Mark
}

/** Watches over the connections of a server, with one timer for all of them. */
export class Connections {
  readonly #open = new Set<Connection>()
  readonly #rules: ConnectionRules
  readonly #nowMs: () => number
  #timer: NodeJS.Timeout | null = null
  #isStopping = false

  constructor(server: Server, rules: Partial<ConnectionRules> = {}, nowMs = () => performance.now()) {
    this.#rules = { ...defaultRules, ...rules }
    this.#nowMs = nowMs
    const bySocket = new WeakMap<Socket, Connection>()
    server.on('connection', (socket: Socket) => bySocket.set(socket, this.#add(socket)))
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = bySocket.get(request.socket)
      if (!connection) return
      connection.request = request
      connection.response = response
    })
  }

  /** From now on the hub waits only for exchanges that are under way and still make progress. */
  stop(): void {
    this.#isStopping = true
    this.#setTimer()
    this.look()
  }

  /** Cuts connections that make no progress. The timer calls it. */
  look(): void {
    const nowMs = this.#nowMs()
    for (const connection of this.#open) {
      const { socket } = connection
      if (this.#isStopping && isIdle(connection)) socket.destroy()
      else if (this.#hasStopped(connection.received, socket.bytesRead, isReceiving(connection), nowMs)) cut(connection)
      else if (this.#hasStopped(connection.taken, bytesTaken(socket), socket.writableLength > 0, nowMs)) cut(connection)
    }
  }

  #add(socket: Socket): Connection {
    const atMs = this.#nowMs()
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
    const everyMs = this.#isStopping
      ? STOPPING_LOOK_MS
      : Math.min(LOOK_MS, this.#rules.stall.windowMs / LOOKS_IN_A_WINDOW)
    this.#timer = setInterval(() => this.look(), everyMs).unref()
  }

  #hasStopped(mark: Mark, bytes: number, isTheirTurn: boolean, nowMs: number): boolean {
    const { windowMs, minBytes } = this.#isStopping ? this.#rules.stopping : this.#rules.stall
    if (isTheirTurn && bytes - mark.bytes < minBytes) return nowMs - mark.atMs >= windowMs
    mark.bytes = bytes
    mark.atMs = nowMs
    return false
  }
}

/** A body is under way and nothing of it waits to be worked on here. */
function isReceiving({ request }: Connection): boolean {
  return request !== null && !request.complete && request.readableLength === 0
}

/** What the peer, or the kernel for it, has taken. */
function bytesTaken(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}

/** No request has come on it, or all that came are answered. */
function isIdle({ response }: Connection): boolean {
  return response === null || response.writableFinished
}

function cut({ socket, request, response }: Connection): void {
  const isUnanswered = request && !request.complete && response && !response.headersSent && socket.writableLength === 0
  if (isUnanswered) {
    const id = response.getHeader('x-request-id')
    const refusal = new HubError('timeout.request', 'The body stopped coming; send the request again.')
    socket.write(problemResponse(refusal, typeof id === 'string' ? id : undefined))
  }
  socket.destroy()
}
