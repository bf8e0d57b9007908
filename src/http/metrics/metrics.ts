/** `/metrics` for Prometheus. */
import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, collectDefaultMetrics, type MetricObject, Registry } from 'prom-client'
import type { Deps } from '../../operation/context.ts'
import type { Config } from '../../platform/config.ts'
import { lazy } from '../../platform/lazy.ts'
import { peers } from '../../platform/peers.ts'
import type { OpenStreams } from '../open-streams.ts'
import { registerInstanceMetrics } from './instance-metrics.ts'
import { assertMayScrape } from './may-scrape.ts'
import { registerStateMetrics } from './state-metrics.ts'

/** What a scrape reads. */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
}

/**
 * What Node says of the process, which all its servers have in common. The library watches the collections of garbage
 * and the event loop from here on, and never ends that: a set for each server would keep every server that has closed.
 */
const processMetrics = lazy(() => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
})

/**
 * One registry per server beside that of the process, so that two in one process do not clash. Adds the hooks that
 * count the server's requests.
 */
export function openMetrics(app: FastifyInstance, deps: Deps, streams: OpenStreams): Metrics {
  const register = new Registry()
  const ofProcess = processMetrics()
  const endWatching = registerInstanceMetrics(register, { app, deps, streams })
  app.addHook('onClose', async () => endWatching())
  const ofDeployment = peers.areThere ? new Registry() : register
  const refreshState = registerStateMetrics(ofDeployment, deps)
  const own = async () => [...(await ofProcess.getMetricsAsJSON()), ...(await register.getMetricsAsJSON())]
  if (peers.areThere) peers.whenAsked(TOPIC, own)
  return {
    contentType: register.contentType,
    async text() {
      await refreshState()
      if (peers.areThere) return `${await summed(await own())}\n${await ofDeployment.metrics()}`
      return `${await ofProcess.metrics()}\n${await register.metrics()}`
    },
  }
}

const TOPIC = 'metrics'

/** With those of the other processes of the port: sums, but for what is the same in each. */
async function summed(own: MetricObject[]): Promise<string> {
  const others = (await peers.ask(TOPIC)).filter((each) => Array.isArray(each)) as MetricObject[][]
  return AggregatorRegistry.aggregate([own, ...others]).metrics()
}

/** Adds the route, on the hub's own listener or on one of its own. */
export function addMetricsRoute(app: FastifyInstance, metrics: Metrics, config: Config, isOwnPort: boolean): void {
  app.get('/metrics', async (request, reply) => {
    assertMayScrape(request, config, isOwnPort)
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text())
  })
}
