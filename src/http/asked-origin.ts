/**
 * The origin that a client used to reach the hub: for links in responses of a hub that is reached under several names.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isLoopbackName } from '@hub/formats/one-origin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Config, listensEverywhere } from '../platform/config.ts'

const asked = new AsyncLocalStorage<string>()

/**
 * The origin of the current request, without a trailing slash; undefined outside a request or without
 * `keepAskedOrigin`.
 */
export const askedOrigin = (): string | undefined => asked.getStore()

/**
 * Whether links depend on the request: a hub on every address without a PUBLIC_URL has no origin of its own, and one on
 * loopback is also `localhost`.
 */
export const hasSeveralNames = (config: Pick<Config, 'host' | 'publicUrl'>): boolean =>
  listensEverywhere(config) || isLoopback(config.publicUrl ?? `http://${config.host}`)

/**
 * The origin of links in the response to a request for the origin `asked`. A page may load files only from its own
 * origin, and `localhost` and `127.0.0.1` are two: between names of loopback the request decides, with its port, which
 * may be that of a tunnel. No other name replaces `publicUrl`.
 */
export function linkOrigin(publicUrl: string | null, asked: string | undefined): string | undefined {
  if (publicUrl === null) return asked
  return asked !== undefined && isLoopback(publicUrl) && isLoopback(asked) ? asked : publicUrl
}

const isLoopback = (url: string) => URL.canParse(url) && isLoopbackName(new URL(url).hostname)

/**
 * Makes `askedOrigin` available in every handler. `preValidation` is the first hook after body parsing, whose events
 * lose the async context.
 */
export function keepAskedOrigin(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => asked.run(originOf(request), done))
}

const hostShape = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** From `Host`, as set by the client or a trusted proxy; the connection's local address if it is invalid. */
export function originOf(request: FastifyRequest): string {
  const protocol = request.protocol === 'https' ? 'https' : 'http'
  if (hostShape.test(request.host)) return `${protocol}://${request.host}`
  const { localAddress = '127.0.0.1', localPort } = request.socket
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
