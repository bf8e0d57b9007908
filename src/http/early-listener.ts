/**
 * A listener that is bound before a hub makes anything. Until the hub is there it answers 503, and an address that it
 * cannot have is told while nothing is made yet.
 */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type RequestListener, Server } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { CannotListen, type ListenAt } from '@hub/formats/listen-address'
import type { FastifyServerOptions } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { headerTimeouts, problemResponse } from './refuse-connection.ts'

const isStarting = new HubError('unavailable', 'The hub is starting; try again in a moment.', {
  facts: { retryAfterS: 1 },
})

/** An HTTP server that listens before Fastify has it. */
export class EarlyListener extends Server {
  #serve: RequestListener | null = null
  #isServing = false

  constructor() {
    super(headerTimeouts)
    this.on('request', (request, response) => {
      if (this.#serve && this.#isServing) this.#serve(request, response)
      else refuse(request.socket)
    })
  }

  /** Fastify's `serverFactory`. It answers requests once Fastify listens. */
  readonly factory = (serve: RequestListener, options: FastifyServerOptions): Server => {
    this.#serve = serve
    this.keepAliveTimeout = options.keepAliveTimeout ?? this.keepAliveTimeout
    this.requestTimeout = options.requestTimeout ?? 0
    this.setTimeout(options.connectionTimeout ?? 0)
    return this
  }

  /** Fastify listens once its routes are there: the address is bound by then. */
  override listen(...given: never[]): this {
    if (!this.listening) return super.listen(...given)
    this.#isServing = true
    process.nextTick(() => this.emit('listening'))
    return this
  }

  /** For a process that binds when it can answer: no request of its is refused. */
  answerAtOnce(): void {
    this.#isServing = true
  }

  /** For a start that failed, and after the server has been closed. */
  async release(): Promise<void> {
    this.closeAllConnections()
    if (this.listening) await new Promise((resolve) => this.close(resolve))
  }
}

function refuse(socket: Socket): void {
  socket.write(problemResponse(isStarting))
  socket.destroySoon()
}

/** Binds the address; `localhost` has two of them. Throws `CannotListen`. */
export async function listenEarly(at: ListenAt): Promise<EarlyListener> {
  const server = new EarlyListener()
  await bind(server, at)
  return server
}

/** Binds what Fastify has already, beside other processes that serve the address. Throws `CannotListen`. */
export async function listenLate(server: EarlyListener, at: ListenAt): Promise<void> {
  server.answerAtOnce()
  await bind(server, at)
}

async function bind(server: EarlyListener, at: ListenAt): Promise<void> {
  try {
    server.listen({ host: at.host, port: at.port } as never)
    await once(server, 'listening')
  } catch (error) {
    throw new CannotListen(error, at)
  }
  if (at.host === 'localhost') await listenBeside(server)
}

/**
 * The other addresses of `localhost`, where there are any: a browser takes one, a program another. One that is taken or
 * not there is left out.
 */
async function listenBeside(server: EarlyListener): Promise<void> {
  const own = server.address()
  if (own === null || typeof own === 'string') return
  const found = await lookup('localhost', { all: true }).catch(() => [])
  for (const { address } of found.filter((one) => one.address !== own.address)) {
    const beside = createServer((socket) => server.emit('connection', socket))
    beside.listen(own.port, address)
    const isBound = await once(beside, 'listening').then(
      () => true,
      () => false,
    )
    if (isBound) server.once('close', () => beside.close())
  }
}
