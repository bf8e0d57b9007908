/** The websocket server: decides before the upgrade who can have a link, and ends links when their time is over. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { MAX_FRAME_BYTES, MAX_SESSIONS, RECONNECT_MS, SPARE_SOCKETS } from '../limits.ts'
import type { PolicyModel } from '../model/open-model.ts'
import type { HubKeys } from '../tokens/hub-keys.ts'
import { presentedToken, type Served, type SessionClaims, verifySessionToken } from '../tokens/session-token.ts'
import { type CloseCode, closeCodes, JSON_PROTOCOL, type Link, openLink } from './link.ts'
import type { SessionBook } from './session-book.ts'

export interface ListenerParts {
  readonly served: Served
  readonly model: PolicyModel
  readonly keys: HubKeys
  readonly book: SessionBook
  /** The first frame of each link, with the session and its end added. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly nowMs: () => number
  readonly logLine: (line: string) => void
}

export interface PolicyListener {
  /** `host:port`, as it listens. */
  readonly address: string
  /** Ends sessions for good; those without a link, too. */
  closeSessions(ids: readonly string[], code: CloseCode, reason: string): void
  /** Ends the links whose key the hub has withdrawn. */
  dropUnknownKeys(): void
  /** No new links, and then no server; links end with `reason`. */
  close(reason: string): Promise<void>
}

interface Live {
  readonly claims: SessionClaims
  readonly link: Link
}

/** The links of a server, and the sessions that may still come back to one. */
function openLinks({ model, book, metadata, nowMs, logLine }: ListenerParts) {
  const live = new Map<string, Live>()
  /** Until when a session without a link may come back. */
  const leaving = new Map<string, NodeJS.Timeout>()

  const end = (id: string, code: CloseCode, reason: string) => {
    clearTimeout(leaving.get(id))
    leaving.delete(id)
    book.close(id, reason)
    live.get(id)?.link.close(code, reason)
  }
  const awaitReturn = (id: string) =>
    leaving.set(
      id,
      setTimeout(() => end(id, closeCodes.policy, 'link_lost'), RECONNECT_MS),
    )
  const started = (socket: WebSocket, claims: SessionClaims) => {
    const { id, device, expiresAtMs, jointMap } = claims
    clearTimeout(leaving.get(id))
    leaving.delete(id)
    book.link(id, expiresAtMs)
    const lifetimeMs = Math.min(expiresAtMs - nowMs(), MAX_TIMER_MS)
    const expiry = setTimeout(() => end(id, closeCodes.policy, 'expired'), lifetimeMs)
    const first = { ...metadata, session_id: id, expires_at: new Date(expiresAtMs).toISOString(), joint_map: jointMap }
    const link = openLink(socket, model, first, {
      jointMap,
      served: (ms) => book.served(id, ms),
      ended(reason) {
        clearTimeout(expiry)
        live.delete(id)
        book.unlink(id)
        logLine(`${id}: ${reason ?? 'the link is lost'}`)
        if (reason !== null) book.close(id, reason)
        else awaitReturn(id)
      },
    })
    live.set(id, { claims, link })
    logLine(`${id}: ${device} is connected`)
  }
  return { live, end, awaitReturn, started }
}

/** Answers on a server that listens already, and closes it at its end. */
export function listen(parts: ListenerParts, http: Server): PolicyListener {
  const { served, keys, book } = parts
  const { live, end, awaitReturn, started } = openLinks(parts)
  /** Sessions whose token is being verified; a second try at the same moment must not pass. */
  const entering = new Set<string>()
  let isClosing = false

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(JSON_PROTOCOL) ? JSON_PROTOCOL : false),
  })
  http.on('request', answerHttp)
  http.maxConnections = MAX_SESSIONS + SPARE_SOCKETS

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const token = presentedToken(request.headers)
    const claims = token === null ? null : await verifySessionToken(keys, served, token)
    // It closed meanwhile, and would never leave.
    if (socket.destroyed) return
    if (claims === null || book.isClosed(claims.id) || isClosing) return refuse(socket, 401)
    if (live.has(claims.id) || entering.has(claims.id)) return refuse(socket, 409)
    if (live.size + entering.size >= MAX_SESSIONS) return refuse(socket, 503)
    entering.add(claims.id)
    const leave = () => entering.delete(claims.id)
    socket.once('close', leave)
    sockets.handleUpgrade(request, socket, head, (opened) => {
      leave()
      started(opened, claims)
    })
  }
  http.on('upgrade', (request, socket, head) => {
    // A peer that resets while its token is verified.
    socket.on('error', () => socket.destroy())
    upgrade(request, socket, head).catch(() => refuse(socket, 500))
  })
  // Of an earlier process.
  for (const id of book.open()) awaitReturn(id)
  const { address, port: bound } = http.address() as AddressInfo
  return {
    address: `${address.includes(':') ? `[${address}]` : address}:${bound}`,
    closeSessions(ids, code, reason) {
      for (const id of ids) {
        end(id, code, reason)
        book.refuse(id)
      }
    },
    dropUnknownKeys() {
      for (const [id, { claims }] of live) if (!keys.has(claims.kid)) end(id, closeCodes.policy, 'key_withdrawn')
    },
    async close(reason) {
      isClosing = true
      for (const id of book.open()) end(id, closeCodes.goingAway, reason)
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 2 * UNTIL_CUT_MS).unref())])
      for (const socket of sockets.clients) socket.terminate()
      http.closeAllConnections()
      await closed
    },
  }
}

/** Of Node's timers; a token that lives longer ends then. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** After it, a link that does not answer its close is cut. */
const UNTIL_CUT_MS = 1_000

/** What is not a websocket: a probe, or a person with a browser. */
function answerHttp(request: IncomingMessage, response: ServerResponse): void {
  const isHealth = request.url === '/healthz'
  response.writeHead(isHealth ? 200 : 426, {
    'content-type': 'text/plain',
    ...(!isHealth && { upgrade: 'websocket' }),
  })
  response.end(isHealth ? 'ok\n' : 'This is a websocket server.\n')
}

const reasons: Readonly<Record<number, string>> = {
  401: 'A session token of this endpoint is required, as api_key or in Authorization.',
  409: 'The session has a link already.',
  500: 'The server failed.',
  503: 'The server has no room for another session.',
}

function refuse(socket: Duplex, status: number): void {
  const body = `${reasons[status]}\n`
  const more = status === 401 ? 'WWW-Authenticate: Api-Key\r\n' : status === 500 ? '' : 'Retry-After: 2\r\n'
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
