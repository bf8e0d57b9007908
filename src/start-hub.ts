/** A whole hub in this process: every part opened in the order in which they need each other, and closed in the reverse. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { documentReader } from '../rest-compat/engine/documents.ts'
import { restMount } from '../rest-compat/engine/mount.ts'
import { routes } from '../rest-compat/routes.ts'
import { schema } from '../schema/index.ts'
import { ensureOperator } from './accounts/operator.ts'
import { openAuth } from './auth/auth.ts'
import { authenticate } from './auth/authenticate.ts'
import { openHostedPlaces } from './hosting/hosted-places.ts'
import { spawnWarning } from './hosting/spawn-hosted.ts'
import { askedOrigin } from './http/asked-origin.ts'
import { authRoutes, keyRoutes } from './http/auth-routes.ts'
import { objectRoutes } from './http/object-routes.ts'
import { OpenStreams } from './http/open-streams.ts'
import { credentialsOf } from './http/origin-facts.ts'
import { contextOf } from './http/request-context.ts'
import { resolveRoute } from './http/resolve-route.ts'
import { runLogRoutes } from './http/run-log-routes.ts'
import { buildServer, type ServerParts } from './http/server.ts'
import { jobs } from './jobs/index.ts'
import { openModelReader } from './models/reader/open-model-reader.ts'
import { ensureDataDir, openDatabase } from './open-database.ts'
import type { Deps } from './operation/context.ts'
import { addressUrl, type Config, listensEverywhere } from './platform/config.ts'
import { startSweepTimer } from './runs/lease/sweep-timer.ts'
import { RunLogs } from './runs/log/run-logs.ts'
import { openEvents } from './store/events.ts'
import { isDiskStore, openObjectStore } from './store/objects/open.ts'
import { openQueue } from './store/queue.ts'
import { deriveKey } from './store/seal.ts'

export interface RunningHub {
  /** Where it can be reached, without a trailing slash: PUBLIC_URL, else the address it listens on. */
  readonly url: string
  readonly app: FastifyInstance
  readonly deps: Deps
  /** The operator's session, the first time; null at every later start. */
  readonly operatorToken: string | null
  /** Ends streams, finishes requests and jobs, then closes what they used. A second call waits for the first. */
  stop(): Promise<void>
}

/** What has been opened, closed in the reverse order; one that fails to close keeps no other from it. */
class Opened {
  readonly #closers: { readonly name: string; readonly close: () => Promise<void> }[] = []
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  add(name: string, close: () => Promise<void>): void {
    this.#closers.push({ name, close })
  }

  async closeAll(): Promise<void> {
    for (const { name, close } of this.#closers.splice(0).reverse()) {
      await close().catch((error: unknown) => this.#log.error({ err: error }, `closing the ${name} failed`))
    }
  }
}

/** What a test may have otherwise. */
type Rules = Pick<ServerParts, 'connectionRules'>

/** Opens and listens. When a step fails, what was opened before it is closed again. */
export async function startHub(config: Config, log: Logger, rules: Rules = {}): Promise<RunningHub> {
  const opened = new Opened(log)
  try {
    return await openHub({ ...config }, log, opened, rules)
  } catch (error) {
    await opened.closeAll()
    throw error
  }
}

async function openHub(
  config: { -readonly [Key in keyof Config]: Config[Key] },
  log: Logger,
  opened: Opened,
  rules: Rules,
): Promise<RunningHub> {
  if (config.objectStore.kind === 'disk') await ensureDataDir(config.dataDir)
  const database = await openDatabase(config, log)
  opened.add('database', database.close)
  const { db, secret } = database
  // Links and callbacks need an address before the first request; port 0 is known only once the server listens.
  const everywhere = listensEverywhere(config)
  if (config.port !== 0 && !everywhere) config.publicUrl ??= addressUrl(config)
  const signingKey = deriveKey(secret, 'object urls')
  const objects = await openObjectStore(config, {
    signingKey,
    baseUrl: () => config.publicUrl ?? askedOrigin() ?? addressUrl(config),
  })
  if (objects) opened.add('object store', () => objects.close())
  const events = openEvents({ url: database.url, log })
  opened.add('events', () => events.close())
  const queue = await openQueue({ url: database.url, log })
  opened.add('queue', () => queue.stop())
  const models = openModelReader({ log })
  opened.add('model reader', () => models.close())
  const hosted = await openHostedPlaces(config, log)
  opened.add('hosted processes', () => hosted.close())
  const warning = config.hosted.appName === null ? null : spawnWarning(config)
  if (warning !== null) log.warn(warning)
  const ending = new AbortController()
  const runLogs = new RunLogs({ db, objects, events, log })
  const deps: Deps = { config, log, db, objects, queue, events, models, runLogs, hosted, stopping: ending.signal }
  const auth = await openAuth({ config, log, db, secret })
  opened.add('sign-in', () => auth.close())
  const operatorToken = await ensureOperator(auth)
  const streams = new OpenStreams()
  const app = buildServer(deps, {
    ...rules,
    streams,
    schema,
    rest: restMount({ schema, routes, readDocument: documentReader() }),
    authenticate: (request) => authenticate(auth, credentialsOf(request)),
    identified: [
      resolveRoute((request) => contextOf(deps, request)),
      runLogRoutes((request) => contextOf(deps, request), streams),
      keyRoutes(auth),
    ],
    open: [authRoutes(auth)],
    uncounted: isDiskStore(objects) ? [objectRoutes(objects)] : [],
  })
  opened.add('server', () => closeServer(app))
  await queue.work(jobs, deps)
  const sweep = startSweepTimer(deps)
  opened.add('lease sweep', () => sweep.close())
  await app.listen({ port: config.port, host: config.host })
  // Closed first: what waits would else keep the server from closing.
  opened.add('waiting requests', async () => ending.abort())
  config.port = portOf(app)
  if (!everywhere) config.publicUrl ??= addressUrl(config)
  let stopping: Promise<void> | undefined
  return {
    url: config.publicUrl ?? addressUrl(config),
    app,
    deps,
    operatorToken,
    stop: () => (stopping ??= opened.closeAll()),
  }
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const DRAIN_MS = 20_000

/** Requests under way are waited for, but not for ever: an upload that never ends must not keep the process. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  try {
    await app.close()
  } finally {
    clearTimeout(late)
  }
}
