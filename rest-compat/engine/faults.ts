/** All that is wrong with one request, and the refusal that says so. */
import { MAX_FAULTS } from '../../schema/rule-faults.ts'
import { type ErrorItem, HubError, type Loc } from '../../src/platform/errors.ts'

/** Tells "absent" from null: an omitted member stays omitted. */
export const ABSENT = Symbol('absent')

/** What is wrong with a request, at most 50. */
export class Faults {
  readonly items: ErrorItem[] = []
  readonly #places = new Set<string>()

  add(type: ErrorItem['type'], detail: string, loc: Loc): typeof ABSENT {
    if (this.items.length < MAX_FAULTS) {
      this.items.push({ type, detail, loc })
      this.#places.add(JSON.stringify(loc))
    }
    return ABSENT
  }

  /** No more are told. */
  get isFull(): boolean {
    return this.items.length === MAX_FAULTS
  }

  isAt(loc: Loc): boolean {
    return this.#places.has(JSON.stringify(loc))
  }
}

/** The 422 of the walk itself: its places are already in the names of `/v1`. */
export class RequestRefusal extends HubError {
  constructor(items: readonly ErrorItem[]) {
    super('validation.failed', firstOf(items), { items })
  }
}

/** The sentence for several faults: the first one and its place, and how many more there are. */
export function firstOf(items: readonly ErrorItem[]): string {
  const [first] = items
  const more = items.length > 1 ? ` (and ${items.length - 1} more in errors)` : ''
  return `${first?.loc?.join('.') ?? 'request'}: ${first?.detail ?? 'is not valid'}${more}`
}
