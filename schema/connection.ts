/**
 * Keyset pages as Relay connections. Edges and cursors are created only when selected, not for every row of every page.
 */

import { HubError } from '../src/platform/errors.ts'
import type { Page } from '../src/platform/page.ts'
import { member } from './member.ts'
import type { ArgFields } from './root-field.ts'

/*
 * Classes, not literals with getters: V8 keeps the accessors of a literal in its hidden class, which lies in the old
 * generation, and with them each page and its rows until the next full collection.
 */

/** A row and its cursor. */
class Edge<T> {
  readonly node: T
  readonly #cursorOf: Page<T>['cursorOf']

  constructor(node: T, cursorOf: Page<T>['cursorOf']) {
    this.node = node
    this.#cursorOf = cursorOf
  }

  get cursor(): string {
    return this.#cursorOf(this.node)
  }
}

/** Where a page lies in its list. */
class PageInfo<T> {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly #page: Page<T>

  constructor(page: Page<T>, hasPreviousPage: boolean) {
    this.hasNextPage = page.hasNextPage
    this.hasPreviousPage = hasPreviousPage
    this.#page = page
  }

  get startCursor(): string | null {
    return this.#cursorAt(0)
  }

  get endCursor(): string | null {
    return this.#page.endsAfter ?? this.#cursorAt(-1)
  }

  #cursorAt(place: number): string | null {
    const node = this.#page.nodes.at(place)
    return node === undefined ? null : this.#page.cursorOf(node)
  }
}

/** A page as a connection. `nodes` is the array of rows itself: the common read allocates nothing more. */
export class Connection<T> {
  readonly nodes: readonly T[]
  readonly #page: Page<T>
  readonly #hasPreviousPage: boolean

  constructor(page: Page<T>, hasPreviousPage: boolean) {
    this.nodes = page.nodes
    this.#page = page
    this.#hasPreviousPage = hasPreviousPage
  }

  get edges(): Edge<T>[] {
    const { cursorOf } = this.#page
    return this.nodes.map((node) => new Edge(node, cursorOf))
  }

  get pageInfo(): PageInfo<T> {
    return new PageInfo(this.#page, this.#hasPreviousPage)
  }
}

/** The rows of a connection: the value of its field `nodes`. */
export const nodesOf = member('nodes', <T>(connection: unknown): readonly T[] => (connection as Connection<T>).nodes)

export interface ConnectionArgs {
  readonly first?: number | null
  readonly after?: string | null
}

/** The arguments of a listing, which pages forward only. */
export const pageArgs = (t: Pick<ArgFields, 'int' | 'string'>) => ({
  first: t.int({ description: 'Page size, 1 to 100; 20 by default.' }),
  after: t.string({ description: '`endCursor` of the previous page, for the same arguments.' }),
})

/** 422 for a `first` outside 1..max (contract, "Reading"). */
export function forwardArgs(args: ConnectionArgs, max: number): { first: number | null; after: string | null } {
  if (args.first != null && (args.first < 1 || args.first > max)) {
    const detail = `must be 1 to ${max}`
    throw new HubError('validation.failed', `first: ${detail}`, {
      items: [{ type: 'validation.value', detail, loc: ['first'] }],
    })
  }
  return { first: args.first ?? null, after: args.after || null }
}
