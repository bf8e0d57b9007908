/** Keyset pages as Relay connections. Cursors of rows are made when a client selects them, not for every row of every page. */
import { HubError } from '../src/errors.ts'
import type { Page } from '../src/repos/list-repos.ts'

class Edge<T> {
  readonly node: T
  readonly #cursorOf: (node: T) => string

  constructor(node: T, cursorOf: (node: T) => string) {
    this.node = node
    this.#cursorOf = cursorOf
  }

  get cursor(): string {
    return this.#cursorOf(this.node)
  }
}

interface PageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** A connection whose `pageInfo` cursors are computed on demand. */
export function toConnection<T>(page: Page<T>, hasPreviousPage: boolean): { edges: Edge<T>[]; pageInfo: PageInfo } {
  const { nodes, cursorOf } = page
  const cursorAt = (node: T | undefined) => (node === undefined ? null : cursorOf(node))
  return {
    edges: nodes.map((node) => new Edge(node, cursorOf)),
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage,
      get startCursor() {
        return cursorAt(nodes[0])
      },
      get endCursor() {
        return cursorAt(nodes.at(-1))
      },
    },
  }
}

export interface ConnectionArgs {
  readonly first?: number | null
  readonly after?: string | null
  readonly last?: number | null
  readonly before?: string | null
}

/** Listings are read forward; 422 for `last`, `before` and a `first` outside 1..max (contract, "Pages"). */
export function forwardArgs(args: ConnectionArgs, max: number): { first: number | null; after: string | null } {
  if (args.last != null || args.before != null) {
    const loc = [args.last != null ? 'last' : 'before']
    const detail = 'Listings are read forward, newest first: page with `first` and `after`.'
    throw new HubError('validation.failed', detail, { items: [{ type: 'validation.value', detail, loc }] })
  }
  if (args.first != null && (args.first < 1 || args.first > max)) {
    const detail = `must be 1 to ${max}`
    throw new HubError('validation.failed', `first: ${detail}`, {
      items: [{ type: 'validation.value', detail, loc: ['first'] }],
    })
  }
  return { first: args.first ?? null, after: args.after || null }
}
