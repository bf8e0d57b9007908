/**
 * What happens inside the hub, for metrics and traces to watch. Those who send a signal do not know who listens; without a watcher it costs a comparison.
 * Signals belong to the process: two hubs in one process hear each other's.
 */
import type { AsyncLocalStorage } from 'node:async_hooks'
import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel'

/** A job of a kind (`run`, `robot_check`, `endpoint`) reached its last status. */
export interface JobEnded {
  readonly kind: string
  readonly status: string
}

/** Something that takes time: what it is, by a name of which there are few. */
export interface TimedWork {
  readonly name: string
}

/** Something that happened. */
export class Signal<Message extends object> {
  readonly #channel: Channel

  constructor(name: string) {
    this.#channel = channel(name)
  }

  send(message: Message): void {
    this.#channel.publish(message)
  }

  /** Returns what ends it. */
  watch(hear: (message: Message) => void): () => void {
    const listener = (message: unknown) => hear(message as Message)
    this.#channel.subscribe(listener)
    return () => this.#channel.unsubscribe(listener)
  }
}

/** How a timed work ended, in the object that it began with. */
interface Ended {
  readonly error?: unknown
}

/** Something that takes time, followed from its start to its end. */
export class TimedSignal<Work extends TimedWork> {
  readonly #channels

  constructor(name: string) {
    this.#channels = tracingChannel<unknown, Work & Ended>(name)
  }

  /** Whether it has a watcher. */
  get isWatched(): boolean {
    return this.#channels.hasSubscribers
  }

  /** Runs the work. Its promise is the work's own. */
  follow<T>(work: Work, run: () => Promise<T>): Promise<T> {
    // A copy: the channel writes result and error into it.
    return this.isWatched ? this.#channels.tracePromise(run, { ...work }) : run()
  }

  /** `ended` is called with the object that `started` was given. Returns what ends it. */
  watch(started: (work: Work) => void, ended: (work: Work, error: unknown) => void): () => void {
    const listeners = {
      start: (work: object) => started(work as Work),
      asyncStart: (work: object) => ended(work as Work, (work as Ended).error),
    }
    this.#channels.start.subscribe(listeners.start as never)
    this.#channels.asyncStart.subscribe(listeners.asyncStart as never)
    return () => {
      this.#channels.start.unsubscribe(listeners.start as never)
      this.#channels.asyncStart.unsubscribe(listeners.asyncStart as never)
    }
  }

  /** The work runs with the value that `enter` makes for it in `storage`. Returns what ends it. */
  bind<Value>(storage: AsyncLocalStorage<Value>, enter: (work: Work) => Value): () => void {
    this.#channels.start.bindStore(storage, enter as never)
    return () => void this.#channels.start.unbindStore(storage as never)
  }
}

/** The lease of a run ran out. */
export const leaseLost = new Signal<{ readonly kind: string }>('hub.lease-lost')
export const jobEnded = new Signal<JobEnded>('hub.job-ended')
/** A run of a background job. */
export const backgroundJob = new TimedSignal<TimedWork>('hub.background-job')
/** A call of the object store that answers once; streams of listings are not counted. */
export const storeCall = new TimedSignal<TimedWork>('hub.object-store')
/** A statement, by its name; empty for one without. */
export const sqlStatement = new TimedSignal<TimedWork>('hub.sql')
/** An operation of a client: of `/graphql`, or the one behind a route of `/v1`. */
export const graphqlOperation = new TimedSignal<TimedWork>('hub.graphql')
