/**
 * Executions of subscriptions that share an event: one for each distinct document, variables and credential, and one
 * encoded message. A subscriber comes here only when its own stream has reached the event, with its own rights, and
 * no one waits for another's admission or socket.
 */
import type { ExecutionResult } from 'graphql'
import { LRUCache } from 'lru-cache'
import { numberOfEvent } from '../operation/shared-event.ts'
import { resize } from '../platform/sized-cache.ts'

/** What one event was answered with. */
export interface EventResult {
  readonly result: ExecutionResult
  /** What it is charged as, to each of its subscribers. */
  readonly objects: number
  /** Of its names and values, as the limits count them. */
  readonly bytes: number
  /** It is over a limit, and the last of its subscription. */
  readonly isLast: boolean
}

/** Followers of a log are at its end together, so few results are of use at once. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_RESULTS = 1000
/** Memory of an object of a result, besides its text. */
const OBJECT_BYTES = 512
/** Values take up to two bytes a character, and so does the escaped message. */
const COPIES = 4

/** Results that more than one subscriber is sent, and their messages once one is printed. */
const messages = new WeakMap<ExecutionResult, Buffer | null>()

/** The message of a result: printed and encoded once if subscribers share it. */
export function messageOf(result: ExecutionResult, print: () => string): string | Buffer {
  const known = messages.get(result)
  if (known) return known
  const text = print()
  if (known === undefined) return text
  const made = Buffer.from(text)
  messages.set(result, made)
  return made
}

/** One for all subscriptions of the process: events have numbers of their own in it. */
export class SharedExecutions {
  readonly #results = new LRUCache<string, Promise<EventResult>>({ max: MAX_RESULTS, maxSize: MAX_BYTES })

  /**
   * The answer to an event. `subscription` names document, variables and credential. One that has errors names the
   * request that it answers, or ended by the limits of its caller, so it is never given to another.
   */
  async answer(subscription: string, event: unknown, execute: () => Promise<EventResult>): Promise<EventResult> {
    const number = numberOfEvent(event)
    if (number === null) return execute()
    const key = `${number}/${subscription}`
    const known = this.#results.get(key)
    if (!known) return this.#keep(key, execute())
    const shared = await known.catch(() => null)
    return shared && isWhole(shared) ? shared : execute()
  }

  async #keep(key: string, executing: Promise<EventResult>): Promise<EventResult> {
    this.#results.set(key, executing, { size: key.length })
    try {
      const made = await executing
      if (!isWhole(made)) this.#results.delete(key)
      else {
        messages.set(made.result, null)
        const size = 2 * key.length + OBJECT_BYTES * (1 + made.objects) + COPIES * made.bytes
        resize(this.#results, key, executing, size)
      }
      return made
    } catch (error) {
      this.#results.delete(key)
      throw error
    }
  }
}

const isWhole = ({ result, isLast }: EventResult): boolean => !isLast && result.errors === undefined
