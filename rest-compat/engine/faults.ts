/** The validation faults of one request, and the error that reports them. */
import { MAX_FAULTS } from '../../schema/rule-faults.ts'
import { type ErrorItem, HubError, type Loc } from '../../src/platform/errors.ts'

/** Tells "absent" from null: an omitted member stays omitted. */
export const ABSENT = Symbol('absent')

/** Faults of a request, at most 50. */
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

  /** The limit is reached: no more are reported. */
  get isFull(): boolean {
    return this.items.length >= MAX_FAULTS
  }

  isAt(loc: Loc): boolean {
    return this.#places.has(JSON.stringify(loc))
  }
}

/** Of a member of a query that the operation does not have. */
export function unknownParameter(name: string, faults: Faults): void {
  faults.add('validation.unknown_member', `${name} is not a query parameter of this operation`, ['query', name])
}

/** The 422 of request coercion: its places are already in `/v1` names. */
export class RequestRefusal extends HubError {
  constructor(items: readonly ErrorItem[]) {
    super('validation.failed', firstOf(items), { items })
  }
}

/** Summary of several faults: the first one with its place, and the number of others. */
export function firstOf(items: readonly ErrorItem[]): string {
  const [first] = items
  const more = items.length > 1 ? ` (and ${items.length - 1} more in errors)` : ''
  return `${first?.loc?.join('.') ?? 'request'}: ${first?.detail ?? 'is not valid'}${more}`
}
