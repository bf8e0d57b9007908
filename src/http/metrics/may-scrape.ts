/** Who can read `/metrics`, which says how much a deployment is used and what it costs. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../platform/config.ts'
import { HubError } from '../../platform/errors.ts'
import { namesHub } from '../own-host.ts'

/**
 * With METRICS_TOKEN, those who send it. A port of its own without a token is open to those who can reach it. Without
 * both, only processes of this machine that ask the hub itself: a proxy on this machine passes on what any client asks,
 * and says so in its headers. Without a token a browser can be such a process, so the request must name the hub.
 */
export function assertMayScrape(request: FastifyRequest, config: Config, isOwnPort: boolean): void {
  const { token } = config.metrics
  if (token !== null) assertToken(request, token)
  else {
    if (!isOwnPort) assertLocal(request)
    assertNamed(request, config)
  }
}

function assertNamed({ headers }: FastifyRequest, config: Config): void {
  if (namesHub(headers.host, config)) return
  throw new HubError(
    'forbidden.scope',
    `${JSON.stringify((headers.host ?? '').slice(0, 100))} is not a name of this hub. Ask by its IP address or by the host of PUBLIC_URL, or set METRICS_TOKEN.`,
  )
}

function assertLocal(request: FastifyRequest): void {
  if (isLoopback(request.socket.remoteAddress ?? '') && !isForwarded(request)) return
  throw new HubError(
    'forbidden.scope',
    'Without METRICS_TOKEN or METRICS_PORT the hub shows its metrics only to processes of its own machine.',
  )
}

function assertToken({ headers }: FastifyRequest, token: string): void {
  const sent = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (sent === undefined) throw new HubError('auth.missing', 'Send `Authorization: Bearer <METRICS_TOKEN>`.')
  if (!timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer')))
    throw new HubError('auth.invalid', 'The token is not METRICS_TOKEN.')
}

const isLoopback = (address: string) => /^(?:::ffff:)?127\./.test(address) || address === '::1'

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const isForwarded = ({ headers }: FastifyRequest) => forwarding.some((name) => headers[name] !== undefined)
