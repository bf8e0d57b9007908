/** The one watcher of a run that has followers on this hub: it looks how far the run goes whenever it is hinted at, and tells all of them. */
import type { Deps } from '../../operation/context.ts'
import type { FollowedRun, RunHead } from './log-batch.ts'
import { readHead } from './read-chunks.ts'

type Parts = Pick<Deps, 'db' | 'events' | 'log'> & { readonly runId: string }

/** Lives as long as it has followers. */
export class RunFeed implements FollowedRun {
  readonly #parts: Parts
  readonly #onOver: () => void
  readonly #ending = new AbortController()
  readonly #waiting = new Set<() => void>()
  #followers = 0
  #started: Promise<boolean> | null = null
  #head: RunHead | null = null

  constructor(parts: Parts, onOver: () => void) {
    this.#parts = parts
    this.#onOver = onOver
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted
  }

  get head(): RunHead {
    if (!this.#head) throw new Error('The feed has not started.')
    return this.#head
  }

  /** Counts one follower until its signal ends. */
  join(signal: AbortSignal): void {
    this.#followers += 1
    const leave = () => {
      this.#followers -= 1
      if (this.#followers === 0) this.#end()
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  }

  /** Resolves when the head is known: false when there is no such run. */
  start(): Promise<boolean> {
    this.#started ??= this.#look().then((isThere) => {
      if (isThere) void this.#watch()
      else this.#end()
      return isThere
    })
    return this.#started
  }

  async changed(seen: RunHead, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#head !== seen || this.isOver || signal.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, Math.max(0, ms))
      signal.addEventListener('abort', wake)
      this.#waiting.add(wake)
    })
  }

  async #watch(): Promise<void> {
    try {
      for await (const _hint of this.#parts.events.watch(this.#parts.runId, this.#ending.signal)) {
        // A database that does not answer for a moment: the next hint or the next look by itself finds what there is.
        const isThere = await this.#look().catch((error: unknown) => {
          this.#parts.log.warn({ err: error }, 'looking for news of a followed run failed')
          return true
        })
        if (!isThere) break
      }
    } finally {
      this.#end()
    }
  }

  async #look(): Promise<boolean> {
    const head = await readHead(this.#parts.db, this.#parts.runId)
    if (!head) return false
    if (this.#head && sameHead(this.#head, head)) return true
    this.#head = head
    this.#wakeAll()
    return true
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  #end(): void {
    if (this.isOver) return
    this.#ending.abort()
    this.#onOver()
    this.#wakeAll()
  }
}

const sameHead = (one: RunHead, other: RunHead) =>
  one.status === other.status &&
  one.logSeq === other.logSeq &&
  one.metricsSeq === other.metricsSeq &&
  one.epoch === other.epoch
