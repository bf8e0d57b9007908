/**
 * Signals of events inside the hub, which metrics and traces watch. A sender does not know the watchers; without one, a
 * signal costs a comparison. Signals belong to the process: two hubs in one process receive each other's signals.
 */
import type { AsyncLocalStorage } from 'node:async_hooks'
import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel'

/** A job of a kind (`run`, `robot_check`, `endpoint`) reached a final status. */
export interface JobEnded {
  readonly kind: string
  readonly status: string
}

/** Work that takes time. `name` has few different values, so that it can be a label of metrics. */
export interface TimedWork {
  readonly name: string
}

/** A signal for events without a duration. */
export class Signal<Message extends object> {
  readonly #channel: Channel

  constructor(name: string) {
    this.#channel = channel(name)
  }

  /** Whether it has a watcher. */
  get isWatched(): boolean {
    return this.#channel.hasSubscribers
  }

  send(message: Message): void {
    this.#channel.publish(message)
  }

  /** Returns a function that stops watching. */
  watch(hear: (message: Message) => void): () => void {
    const listener = (message: unknown) => hear(message as Message)
    this.#channel.subscribe(listener)
    return () => this.#channel.unsubscribe(listener)
  }
}

/** The outcome of timed work, which the channel writes into the object that the work began with. */
interface Ended {
  readonly error?: unknown
}

/** A signal for work that takes time, from its start to its end. */
export class TimedSignal<Work extends TimedWork> {
  readonly #channels

  constructor(name: string) {
    this.#channels = tracingChannel<unknown, Work & Ended>(name)
  }

  /** Whether it has a watcher. */
  get isWatched(): boolean {
    return this.#channels.hasSubscribers
  }

  /** Runs the work and returns its promise. */
  follow<T>(work: Work, run: () => Promise<T>): Promise<T> {
    // A copy: the channel writes result and error into it.
    return this.isWatched ? this.#channels.tracePromise(run, { ...work }) : run()
  }

  /** Calls `ended` with the object that `started` was given. Returns a function that stops watching. */
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

  /** Runs the work with the value that `enter` makes for it in `storage`. Returns a function that ends the binding. */
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
/** A call of the object store with one response; streamed listings are not counted. */
export const storeCall = new TimedSignal<TimedWork>('hub.object-store')
/** An SQL statement, by its name, which is empty for an unnamed statement. */
export const sqlStatement = new TimedSignal<TimedWork>('hub.sql')
/** An operation of a client: of `/graphql`, or the one behind a route of `/v1`. */
export const graphqlOperation = new TimedSignal<TimedWork>('hub.graphql')
