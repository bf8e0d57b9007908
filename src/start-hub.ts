/**
 * A whole hub in this process: every part opened in the order in which they need each other, and closed in the reverse.
 */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { hfMount } from '../hf-compat/engine/mount.ts'
import { hfDocuments, handlers as hfHandlers, routes as hfRoutes } from '../hf-compat/routes.ts'
import { documentReader } from '../rest-compat/engine/documents.ts'
import { restMount } from '../rest-compat/engine/mount.ts'
import { handlers, routes } from '../rest-compat/routes.ts'
import { schema } from '../schema/index.ts'
import { SharedChanges } from './accounts/changes/shared-changes.ts'
import { addOperatorSetup } from './accounts/links/operator-setup.ts'
import { ensureOperator } from './accounts/operator.ts'
import { openAuth } from './auth/auth.ts'
import { authenticate } from './auth/authenticate.ts'
import { takenClientNames } from './auth/handle.ts'
import { openBackend } from './hosting/open-backend.ts'
import { processNotice } from './hosting/process/process-settings.ts'
import { tokenSeal } from './hosting/token-seal.ts'
import { askedOrigin, linkOrigin } from './http/asked-origin.ts'
import { authRoutes } from './http/auth-routes.ts'
import { avatarRoutes } from './http/avatar-routes.ts'
import { type EarlyListener, listenLate } from './http/early-listener.ts'
import type { Metrics } from './http/metrics/metrics.ts'
import { buildMetricsServer } from './http/metrics/metrics-server.ts'
import { objectRoutes } from './http/object-routes.ts'
import { credentialsOf } from './http/origin-facts.ts'
import { buildServer, type ServerParts } from './http/server.ts'
import { jobs } from './jobs/index.ts'
import { attendCalls, startSweepTimer } from './jobs/sweeps.ts'
import { openModelReader } from './models/reader/open-model-reader.ts'
import { openDatabase } from './open-database.ts'
import { type Ground, metricsAt, openGround } from './open-ground.ts'
import type { Deps } from './operation/context.ts'
import { addressUrl, type Config } from './platform/config.ts'
import { lazy } from './platform/lazy.ts'
import { sharedFor } from './platform/shared-reading.ts'
import { redirectMoved } from './redirect-moved.ts'
import { repoReferrers } from './repo-referrers.ts'
import { openEvents } from './store/events.ts'
import { isDiskStore, openObjectStore } from './store/objects/open.ts'
import { openQueue } from './store/queue.ts'
import { deriveKey } from './store/seal.ts'
import { JobLogs } from './work/log/shared-logs.ts'
import { type ProcessPart, whole } from './workers/worker-role.ts'

export interface RunningHub {
  /** Where it can be reached, without a trailing slash: PUBLIC_URL, else the address it listens on. */
  readonly url: string
  /** `/metrics` on the port of its own; null if it is served at `url`. */
  readonly metricsUrl: string | null
  readonly app: FastifyInstance
  readonly deps: Deps
  /** The operator's session, the first time; null at every later start. */
  readonly operatorToken: string | null
  /** Path of the link that gives the operator a password, beside the first session; never logged. */
  readonly operatorSetup: string | null
  /** Ends streams, finishes requests and jobs, then closes what they used. A second call waits for the first. */
  stop(): Promise<void>
}

/** Has a part closed with the hub, before those that were opened earlier. */
type CloseLater = (name: string, close: () => Promise<void>) => void

/** What a test or a bench may have otherwise, and what watches requests. */
interface Rules extends Pick<ServerParts, 'connectionRules'>, Partial<Pick<ServerParts, 'rest'>> {
  readonly watchRequests?: (app: FastifyInstance) => void
  /** What this process is of a hub of several. */
  readonly part?: ProcessPart
  /** Opened before, by who loads this module meanwhile. Closed with the hub, or when it does not start. */
  readonly ground?: Ground
}

const HIDDEN_HANDLE =
  'an account has a handle that is reserved now: clients of the Hugging Face API cannot reach its repos by name'

/** `/v1`, compiled from its documents: the same for every hub of this process. */
const rest = lazy(() => restMount({ schema, routes, handlers, readDocument: documentReader(), hooks: [redirectMoved] }))

/** What the clients of Hugging Face speak, in the same way. */
const hf = lazy(() => hfMount({ schema, routes: hfRoutes, handlers: hfHandlers, readDocument: hfDocuments() }))

/** Opens and listens. When a step fails, what was opened before it is closed again. */
export async function startHub(config: Config, log: Logger, rules: Rules = {}): Promise<RunningHub> {
  const opened = new AsyncDisposableStack()
  // One that fails to close keeps no other from it.
  const closeLater: CloseLater = (name, close) =>
    opened.defer(() => close().catch((error: unknown) => log.error({ err: error }, `closing the ${name} failed`)))
  try {
    const ground = rules.ground ?? (await openGround({ config, log, part: rules.part ?? whole }))
    closeLater('addresses', ground.close)
    const hub = await openHub(ground, log, closeLater, rules)
    let stopping: Promise<void> | undefined
    return { ...hub, stop: () => (stopping ??= opened.disposeAsync()) }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** What a hub opens with: what it stands on, its settings, its log, and where each part registers its end. */
interface Opening {
  readonly ground: Ground
  readonly config: Config
  readonly log: Logger
  readonly closeLater: CloseLater
}

async function openHub(
  ground: Ground,
  log: Logger,
  closeLater: CloseLater,
  rules: Rules,
): Promise<Omit<RunningHub, 'stop'>> {
  const { trusted, listener, metricsListener } = ground
  const { config, listensOn } = ground.listening
  const { part = whole } = rules
  const { auth, deps, queue, ending } = await openDeps({ ground, config, log, closeLater })
  const operatorToken = await ensureOperator(auth)
  const operatorSetup = operatorToken === null ? null : await addOperatorSetup(auth)
  for (const handle of await takenClientNames(deps.db)) log.warn({ handle }, HIDDEN_HANDLE)
  let metrics: Metrics | null = null as Metrics | null
  const app = buildServer(deps, {
    ...rules,
    listener,
    trusted,
    schema,
    rest: rules.rest ?? rest(),
    dialects: [hf()],
    authenticate: (request) => authenticate(auth, credentialsOf(request)),
    open: [authRoutes(auth, deps), avatarRoutes(deps)],
    uncounted: isDiskStore(deps.objects) ? [objectRoutes(deps.objects)] : [],
    onMetrics: (made) => {
      metrics = made
    },
  })
  rules.watchRequests?.(app)
  closeLater('server', () => closeServer(app))
  const { metrics: scraped } = config
  const metricsServer = metrics && metricsListener && buildMetricsServer(deps, metrics, metricsListener)
  if (metricsServer) closeLater('metrics server', () => metricsServer.close())
  if (part.isBackground) {
    await attendCalls(deps)
    await queue.work(jobs, deps)
    const sweep = startSweepTimer(deps)
    closeLater('lease sweep', () => sweep.close())
  }
  if (part.joinsLater) await bindLate(config, app, listener, metricsListener)
  if (metricsServer && scraped.listener) await metricsServer.listen({ ...scraped.listener })
  await app.listen({ port: config.port, host: config.host })
  // Closed first: what waits would else keep the server from closing.
  closeLater('waiting requests', async () => ending.abort())
  listensOn(portOf(app))
  const metricsUrl =
    metricsServer && scraped.listener
      ? `${addressUrl({ ...scraped.listener, port: portOf(metricsServer) })}/metrics`
      : null
  return { url: config.publicUrl ?? addressUrl(config), metricsUrl, app, deps, operatorToken, operatorSetup }
}

/** Opens what operations work with: database, sign-in, object store, events, queue, readers and hosting. */
async function openDeps({ ground, config, log, closeLater }: Opening) {
  const database = await openDatabase(config, log, ground.embedded)
  closeLater('database', database.close)
  const { db, secret } = database
  const auth = await openAuth({ config, log, db, secret })
  closeLater('sign-in', () => auth.close())
  const signingKey = deriveKey(secret, 'object urls')
  const objects = await openObjectStore(config, {
    signingKey,
    baseUrl: () => linkOrigin(config.publicUrl, askedOrigin()) ?? addressUrl(config),
  })
  if (objects) closeLater('object store', () => objects.close())
  const events = openEvents({ url: database.url, log })
  closeLater('events', () => events.close())
  const queue = await openQueue({ url: database.url, log })
  closeLater('queue', () => queue.stop())
  const models = openModelReader({ log })
  closeLater('model reader', () => models.close())
  const hosted = await openBackend(config, log, ground.cluster)
  closeLater('hosting backend', () => hosted.close())
  const notice = config.hosted.appName === null || config.hosted.kubernetes ? null : processNotice(config)
  if (notice !== null) log.warn(notice)
  const ending = new AbortController()
  const logs = new JobLogs({ db, objects })
  const deps: Deps = {
    config,
    log,
    db,
    objects,
    queue,
    events,
    models,
    logs,
    changes: new SharedChanges(db),
    hosted,
    tokenSeal: tokenSeal(secret),
    repoReferrers,
    signingKeys: auth.keys,
    // Loaded only where the operator looks.
    findings: sharedFor(FINDINGS_FRESH_MS, async () => {
      const { checkRunning } = await import('./operator/doctor.ts')
      return checkRunning(config, database.url)
    }),
    stopping: ending.signal,
  }
  return { auth, deps, queue, ending }
}

/** Others serve these addresses: a process that joins them binds when it can answer, and not before. */
async function bindLate(
  { host, port, metrics: scraped }: Config,
  app: FastifyInstance,
  listener: EarlyListener,
  metricsListener: EarlyListener | null,
): Promise<void> {
  await app.ready()
  if (metricsListener && scraped.listener) await listenLate(metricsListener, metricsAt(scraped.listener))
  await listenLate(listener, { host, port, settings: { host: 'HOST', port: 'PORT' } })
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const DRAIN_MS = 20_000

/** Each look costs a connection, and an object that is written and deleted in a store of S3. */
const FINDINGS_FRESH_MS = 10_000

/** Requests in progress are waited for, but not forever: an upload that never ends must not keep the process. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  try {
    await app.close()
  } finally {
    clearTimeout(late)
  }
}
