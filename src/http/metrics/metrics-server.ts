/** A listener that serves `/metrics` alone: METRICS_PORT. */
import Fastify, { type FastifyInstance } from 'fastify'
import type { Deps } from '../../operation/context.ts'
import type { EarlyListener } from '../early-listener.ts'
import { registerEdge, requestId } from '../edge.ts'
import { headerTimeouts } from '../refuse-connection.ts'
import { addMetricsRoute, type Metrics } from './metrics.ts'

/** Builds it for a listener that is bound already. */
export function buildMetricsServer(
  { log, config }: Pick<Deps, 'log' | 'config'>,
  metrics: Metrics,
  listener: EarlyListener,
): FastifyInstance {
  const app = Fastify({
    serverFactory: listener.factory,
    forceCloseConnections: true,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    http: headerTimeouts,
    requestIdHeader: false,
  }) as unknown as FastifyInstance
  registerEdge(app, { log: log.child({}, { level: 'warn' }), https: false, corsOrigins: [] })
  addMetricsRoute(app, metrics, config, true)
  return app
}
