/**
 * Keeps the processes of one port: starts them, replaces one that dies, passes on what they tell each other, and stops
 * them. It does not know how a process is made, so that tests need none.
 */
import type { Logger } from 'pino'
import { type PeerMessage, peerMessage } from '../platform/peers.ts'

/** One of them also does the background work: jobs, sweeps and hosted calls. */
export type WorkerRole = 'background' | 'serving'

/** A process as the supervisor sees it. */
export interface WorkerProcess {
  readonly pid: number | undefined
  send(message: PeerMessage): void
  kill(signal: NodeJS.Signals): void
}

/** What a process tells its supervisor. */
export interface WorkerEvents {
  /** It serves requests. */
  listening(): void
  message(given: unknown): void
  exit(code: number | null): void
}

export interface SupervisorOptions {
  readonly count: number
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** `isFirst`: no process has served yet, so it also says what a start says. */
  start(role: WorkerRole, isFirst: boolean, events: WorkerEvents): WorkerProcess
  /** Waits before a process is replaced; tests have a clock of their own. */
  wait(ms: number): Promise<void>
}

/** The first replacement comes at once; each that dies without having served doubles the wait. */
const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 10_000

/** The processes of one port. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #running = new Set<WorkerProcess>()
  /** Of these, those that can be asked and told. */
  readonly #serving = new Set<WorkerProcess>()
  #failures = 0
  #isStopping = false
  #hasServed = false
  #end: (code: number) => void = () => undefined
  /** With the exit code of the whole, once all have ended. */
  readonly ended = new Promise<number>((resolve) => {
    this.#end = resolve
  })

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Starts the background worker, and the others once it serves: the database is new or migrated by then. */
  start(): void {
    this.#run('background')
  }

  /** Passes a signal on to all; none is replaced from now on. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopping = true
    for (const worker of this.#running) worker.kill(signal)
    if (this.#running.size === 0) this.#end(0)
  }

  #run(role: WorkerRole): void {
    const { start } = this.#options
    let hasListened = false
    const worker = start(role, !this.#hasServed, {
      listening: () => {
        hasListened = true
        this.#serving.add(worker)
        this.#failures = 0
        if (this.#hasServed) return
        this.#hasServed = true
        if (!this.#isStopping) for (let n = 1; n < this.#options.count; n++) this.#run('serving')
      },
      message: (given) => this.#passOn(worker, given),
      exit: (code) => void this.#ended(worker, { role, code, hasListened }),
    })
    this.#running.add(worker)
  }

  async #ended(
    worker: WorkerProcess,
    { role, code, hasListened }: { role: WorkerRole; code: number | null; hasListened: boolean },
  ): Promise<void> {
    this.#running.delete(worker)
    this.#serving.delete(worker)
    if (this.#isStopping || !this.#hasServed) {
      // A hub that cannot start ends as a single process does: it has said why.
      if (this.#running.size === 0) this.#end(this.#hasServed ? 0 : (code ?? 1))
      return
    }
    const waitMs = hasListened ? 0 : Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** this.#failures++)
    this.#options.log.warn({ pid: worker.pid, role, code, waitMs }, 'a worker process ended and is replaced')
    await this.#options.wait(waitMs)
    if (!this.#isStopping) this.#run(role)
    else if (this.#running.size === 0) this.#end(0)
  }

  #passOn(from: WorkerProcess, given: unknown): void {
    const { data: message } = peerMessage.safeParse(given)
    if (!message) return
    const isFor = (pid: number | undefined) => message.hub !== 'answer' || message.id?.startsWith(`${pid}.`)
    const others = [...this.#serving].filter((worker) => worker !== from && isFor(worker.pid))
    if (message.hub === 'ask') from.send({ ...message, hub: 'asked', data: others.length })
    for (const other of others) other.send(message)
  }
}
