/** What the requests have made or been shown so far: ids, names and tokens, from which later requests are made. */
import type { Json } from '../support/hub.ts'
import type { Dice } from './dice.ts'

/** How many of a kind are remembered; the first ones, of the lab, are never forgotten. */
const MOST = 60

export class Things {
  readonly #kinds = new Map<string, unknown[]>()
  readonly #kept = new Map<string, number>()

  add(kind: string, ...things: readonly unknown[]): void {
    const all = this.#kinds.get(kind) ?? []
    this.#kinds.set(kind, all)
    for (const thing of things) {
      if (all.includes(thing)) continue
      all.push(thing)
      if (all.length > MOST) all.splice(this.#kept.get(kind) ?? 0, 1)
    }
  }

  /** What is there now stays. */
  keep(): void {
    for (const [kind, all] of this.#kinds) this.#kept.set(kind, Math.min(all.length, MOST / 2))
  }

  /** One of a kind, newer ones more often; undefined where there is none. */
  pick<T = string>(kind: string, dice: Dice): T | undefined {
    const all = this.#kinds.get(kind) ?? []
    if (all.length === 0) return undefined
    return dice.pick(dice.chance(0.5) ? all.slice(-8) : all) as T
  }

  /** The last of a kind. */
  newest<T>(kind: string): T | undefined {
    return this.#kinds.get(kind)?.at(-1) as T | undefined
  }

  /** One that a request has made, for what ends or deletes it; undefined where there is none. */
  pickNew<T = string>(kind: string, dice: Dice): T | undefined {
    const made = (this.#kinds.get(kind) ?? []).slice(this.#kept.get(kind) ?? 0)
    return made.length === 0 ? undefined : (dice.pick(made) as T)
  }

  /** Remembers ids, names and cursors anywhere in an answer. */
  learn(value: Json, name = '', depth = 0): void {
    if (depth > 12) return
    if (Array.isArray(value)) for (const item of value.slice(0, 20)) this.learn(item, name, depth + 1)
    else if (typeof value === 'object' && value !== null) {
      if (typeof value.full_name === 'string' && value.kind) this.add(`${value.kind} repo`, value.full_name)
      for (const [key, item] of Object.entries(value)) this.learn(item, key, depth + 1)
    } else if (typeof value === 'string' && value.length < 600) {
      const id = /^(user|org|key|repo|run|check|ep|esess|dev|appr|spend|sess|film|label|roll)_[0-9a-z]{26}$/.exec(value)
      if (id) this.add(id[1] as string, value)
      else if (['next_cursor', 'endCursor', 'cursor'].includes(name)) this.add('cursor', value)
      else if (['path', 'device_code', 'user_code', 'userCode', 'upload_id', 'uploadId'].includes(name))
        this.add(
          name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          value,
        )
    }
  }
}
