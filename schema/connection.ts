/**
 * Keyset pages as Relay connections. Edges and cursors are created only when selected, not for every row of every page.
 */

import { HubError } from '../src/platform/errors.ts'
import type { Page } from '../src/platform/page.ts'
import { member } from './member.ts'
import type { ArgFields } from './root-field.ts'

interface Edge<T> {
  readonly node: T
  readonly cursor: string
}

interface PageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
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
    return this.nodes.map((node) => ({
      node,
      get cursor() {
        return cursorOf(node)
      },
    }))
  }

  get pageInfo(): PageInfo {
    const { nodes, hasNextPage, cursorOf, endsAfter } = this.#page
    const cursorAt = (node: T | undefined) => (node === undefined ? null : cursorOf(node))
    return {
      hasNextPage,
      hasPreviousPage: this.#hasPreviousPage,
      get startCursor() {
        return cursorAt(nodes[0])
      },
      get endCursor() {
        return endsAfter ?? cursorAt(nodes.at(-1))
      },
    }
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
