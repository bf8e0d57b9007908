/** The process of a hub: reads the settings, starts it, says where it is, and stops it in order. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createLogger } from './http/logger.ts'
import { openGround } from './open-ground.ts'
import { type Config, ConfigError, listensEverywhere, readConfig } from './platform/config.ts'
import { dropStartGarbage } from './platform/start-garbage.ts'
import { startFailure } from './start-failure.ts'
import type { RunningHub } from './start-hub.ts'
import { joinWorkers } from './workers/join-workers.ts'
import { type ProcessPart, processPart } from './workers/worker-role.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)

/**
 * Ends when the hub has stopped. Settings that are not valid, or a hub that cannot start, end the process with one line
 * and code 1.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  // Whatever the hub and what it starts write is for no one else on the machine.
  process.umask(0o077)
  const config = settingsOf(environment)
  const log = createLogger(config)
  outliveRejections(log)
  const signals = firstSignal()
  // Loaded only where traces are asked for.
  const tracing = config.traces ? (await import('./tracing/tracing.ts')).startTracing(config.traces) : null
  const rules = tracing ? { watchRequests: tracing.watchRequests } : {}
  const part = processPart(environment)
  const workers = joinWorkers()
  const hub = await startWhileLoading(config, log, { ...rules, part }).catch((error: unknown) =>
    fail(startFailure(error, config), error, log),
  )
  if (!part.joinsLater) say(greeting(hub, config))
  log.info({ url: hub.url }, 'listening')
  workers?.serves()
  dropStartGarbage()
  const signal = await signals
  log.info({ signal }, 'stopping')
  await hub.stop()
  await tracing?.stop()
  log.info('stopped')
  workers?.leave()
}

/**
 * Loads the hub while PostgreSQL starts. Loading keeps this process from anything else, so it begins once the program
 * of PostgreSQL runs, or none has to be waited for.
 */
async function startWhileLoading(
  config: Config,
  log: Logger,
  rules: { readonly part: ProcessPart; readonly watchRequests?: (app: FastifyInstance) => void },
): Promise<RunningHub> {
  const waits = Promise.withResolvers<void>()
  const opening = openGround({ config, log, part: rules.part, onWait: waits.resolve })
  await Promise.race([waits.promise, opening])
  // What fails meanwhile is told below, once the modules are there.
  opening.catch(() => undefined)
  const { startHub } = await import('./start-hub.ts').catch(async (error: unknown) => {
    // PostgreSQL is a process of its own, which would outlive this one.
    await opening.then(
      (ground) => ground.close(),
      () => undefined,
    )
    throw error
  })
  return startHub(config, log, { ...rules, ground: await opening })
}

/**
 * An unhandled rejection would end the process, and with it all streams and uploads: graphql-js drops the pending items
 * of a list when another item breaks its type. The client has that error already.
 */
function outliveRejections(log: Logger): void {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'))
}

/** Below this a second signal is an echo: npm passes on an interrupt that the terminal has already sent to everyone. */
const ECHO_MS = 1_000

/**
 * The first request to stop. A later SIGTERM or SIGINT ends the process at once; a terminal that is closed meanwhile
 * does not.
 */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    const stop = (signal: NodeJS.Signals) => {
      if (askedAt === undefined) {
        askedAt = performance.now()
        resolve(signal)
      } else if (signal !== 'SIGHUP' && performance.now() - askedAt > ECHO_MS) process.exit(130)
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  })
}

function greeting(hub: RunningHub, config: Config): string {
  const lines = [
    '',
    `  The hub listens on ${hub.url}`,
    `    pages      ${hub.url}/`,
    `    GraphiQL   ${hub.url}/graphql`,
    `    /v1 pages  ${hub.url}/docs`,
    `    health     ${hub.url}/readyz`,
    ...(hub.metricsUrl === null ? [] : [`    metrics    ${hub.metricsUrl}`]),
    `    data       ${config.dataDir}`,
  ]
  if (listensEverywhere(config))
    lines.push("    and at this machine's other addresses; a link names the one that was asked, or PUBLIC_URL")
  if (hub.operatorToken !== null) {
    lines.push(
      '',
      `  First start: a session of the operator "${config.operatorHandle}", shown only now.`,
      `    ${hub.operatorToken}`,
    )
    lines.push(
      `  Sign in with it at ${hub.url}/login, or send it as \`Authorization: Bearer <session>\`.`,
      `  Another one: \`npm run hub -- session add ${config.operatorHandle}\`; a key for programs: \`npm run hub -- key add\`.`,
    )
    if (hub.operatorSetup !== null)
      lines.push(
        '  Or give the operator a passkey or a password: this link works once, within an hour.',
        `    ${hub.url}${hub.operatorSetup}`,
      )
  }
  return `${lines.join('\n')}\n`
}

/** What the operator can act on is one line; anything else is logged whole. */
function fail(line: string | null, error: unknown, log?: Logger): never {
  if (line === null) log?.fatal({ err: error }, 'the hub could not start')
  process.stderr.write(`${line ?? 'The hub could not start; the log line above says why.'}\n`)
  process.exit(1)
}

function settingsOf(environment: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message, error)
    throw error
  }
}
