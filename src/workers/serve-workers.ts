/** A hub of several processes on one port: this one starts and keeps them, and serves nothing itself. */
import cluster from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger } from '../http/logger.ts'
import { type Config, ConfigError, readConfig } from '../platform/config.ts'
import { Supervisor, type WorkerEvents, type WorkerProcess, type WorkerRole } from './supervisor.ts'
import { FIRST_VARIABLE, ROLE_VARIABLE, SERVES } from './worker-role.ts'

/** Ends with the exit code of the hub, once all its processes have ended. */
export async function serveWorkers(environment: NodeJS.ProcessEnv): Promise<number> {
  process.umask(0o077)
  const config = settingsOf(environment)
  if (config === null) return 1
  const { workers: count } = config.callers
  const log = createLogger(config)
  // Each accepts from the one listening socket: a connection that Node would hand out in turn to a process that is
  // killed before it takes it stays open, without an answer, for as long as this process lives.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const supervisor = new Supervisor({ count, log, start, wait: (ms) => delay(ms) })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => supervisor.stop(signal))
  supervisor.start()
  return supervisor.ended
}

function start(role: WorkerRole, isFirst: boolean, events: WorkerEvents): WorkerProcess {
  const worker = cluster.fork({ [ROLE_VARIABLE]: role, [FIRST_VARIABLE]: isFirst ? '1' : '' })
  worker.on('message', (message: unknown) => {
    if (message === SERVES) events.listening()
    else events.message(message)
  })
  worker.on('exit', (code) => events.exit(code))
  // A message to one that has just died is lost, and its end follows.
  worker.on('error', () => undefined)
  return {
    pid: worker.process.pid,
    send: (message) => void (worker.isConnected() && worker.send(message, () => undefined)),
    kill: (signal) => void worker.process.kill(signal),
  }
}

/** Null if they are not valid, which it has said. */
function settingsOf(environment: NodeJS.ProcessEnv): Config | null {
  try {
    return readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return null
  }
}
