/**
 * What this instance itself counts: requests, streams, background jobs, the store, the pool. Sum or compare these over
 * instances.
 */
import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Deps } from '../../operation/context.ts'
import {
  backgroundJob,
  jobEnded,
  leaseLost,
  storeCall,
  type TimedSignal,
  type TimedWork,
} from '../../platform/signals.ts'
import { hubVersion } from '../../platform/version.ts'
import type { OpenStreams } from '../open-streams.ts'

/** Registers them; returns what ends their watching. */
export function registerInstanceMetrics(
  register: Registry,
  { app, deps, streams }: { app: FastifyInstance; deps: Deps; streams: OpenStreams },
): () => void {
  registerRequests(register, app)
  registerPool(register, deps)
  registerDisk(register, deps)
  new Gauge({
    name: 'hub_build_info',
    help: 'Always 1; its labels are the versions of the hub and of Node.',
    labelNames: ['version', 'node'] as const,
    aggregator: 'first',
    registers: [register],
  }).set({ version: hubVersion, node: process.versions.node }, 1)
  new Gauge({
    name: 'hub_event_streams_open',
    help: 'Event streams that this instance serves.',
    registers: [register],
    collect() {
      this.set(streams.size)
    },
  })
  const ends = [
    registerJobEnds(register),
    registerTimes(register, backgroundJob, {
      name: 'hub_background_job_duration_seconds',
      help: 'Runs of background jobs on this instance.',
      label: 'queue',
      buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 3600],
    }),
    registerTimes(register, storeCall, {
      name: 'hub_object_store_duration_seconds',
      help: 'Calls of the object store by this instance; of a download, until its first byte.',
      label: 'operation',
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** Routes are labelled by pattern, never by URL. */
function registerRequests(register: Registry, app: FastifyInstance): void {
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [register],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions
    // Methods that no route has are a client's to choose.
    const labels = url === undefined ? { method: 'any', route: 'none' } : { method: request.method, route: url }
    seconds.observe({ ...labels, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
}

function registerPool(register: Registry, { db, config }: Deps): void {
  const { pool } = db
  const states = {
    total: () => pool.totalCount,
    idle: () => pool.idleCount,
    waiting: () => pool.waitingCount,
    most: () => config.databasePoolMax,
  }
  new Gauge({
    name: 'hub_database_pool_connections',
    help: 'Connections of the pool, queries waiting for one, and the most connections that it may have.',
    labelNames: ['state'] as const,
    registers: [register],
    collect() {
      for (const [state, count] of Object.entries(states)) this.set({ state }, count())
    },
  })
}

/** Only the disk store has a disk whose room the hub knows. */
function registerDisk(register: Registry, { config, log }: Deps): void {
  const { objectStore } = config
  if (objectStore.kind !== 'disk') return
  new Gauge({
    name: 'hub_disk_bytes',
    help: 'Size of the disk that holds the disk store, and what is free on it; only with OBJECT_STORE=disk.',
    labelNames: ['state'] as const,
    aggregator: 'first',
    registers: [register],
    async collect() {
      try {
        const { bsize, bavail, blocks } = await statfs(objectStore.dir)
        this.set({ state: 'free' }, bavail * bsize)
        this.set({ state: 'size' }, blocks * bsize)
      } catch (error) {
        this.reset()
        log.warn({ err: error }, 'the disk of the disk store does not say its size')
      }
    },
  })
}

function registerJobEnds(register: Registry): () => void {
  const ended = new Counter({
    name: 'hub_jobs_ended_total',
    help: 'Runs, checks and endpoints that ended by a request or sweep of this instance, by their last status.',
    labelNames: ['kind', 'status'] as const,
    registers: [register],
  })
  const lost = new Counter({
    name: 'hub_leases_lost_total',
    help: 'Leases that ran out and that this instance took back.',
    labelNames: ['kind'] as const,
    registers: [register],
  })
  // From 0 on: the first increase of a series that did not exist is none to Prometheus.
  lost.inc({ kind: 'run' }, 0)
  const ends = [jobEnded.watch((labels) => ended.inc({ ...labels })), leaseLost.watch(({ kind }) => lost.inc({ kind }))]
  return () => {
    for (const end of ends) end()
  }
}

interface Times {
  readonly name: string
  readonly help: string
  readonly label: string
  readonly buckets: number[]
}

function registerTimes(register: Registry, signal: TimedSignal<TimedWork>, { label, ...given }: Times): () => void {
  const seconds = new Histogram({ ...given, labelNames: [label, 'outcome'], registers: [register] })
  const begun = new WeakMap<TimedWork, number>()
  return signal.watch(
    (work) => begun.set(work, performance.now()),
    (work, error) => {
      const outcome = error === undefined ? 'ok' : 'error'
      seconds.observe({ [label]: work.name, outcome }, (performance.now() - (begun.get(work) ?? 0)) / 1000)
    },
  )
}
