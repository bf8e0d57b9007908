/**
 * The closed table of what can be refused, and the one error class that carries it.
 *
 * A verb throws `new HubError(type, detail, …)`; the edge of each dialect renders it (Problem in `/v1`, `extensions` in GraphQL).
 * The documentation pages under `/problems/` and the tests read the same table.
 */

import { errorTable } from './error-table.ts'

export { errorTable }

export type ErrorType = keyof typeof errorTable

/**
 * A place in the request. A verb gives the path of a field in its input, `["files", 0, "contentType"]`; the edges put before it where that came from and
 * spell it as their dialect does: `["input", "files", 0, "contentType"]`, `["body", "files", 0, "content_type"]`, `["query", "limit"]`.
 */
export type Loc = ReadonlyArray<string | number>

/** One entry of `errors[]`. `type` may be a check code of card validation, which is why it is not only `ErrorType`. */
export interface ErrorItem {
  readonly type: string
  readonly detail: string
  readonly loc?: Loc
  readonly [extra: string]: unknown
}

/** A refusal from the closed table. `detail` names the thing and the fix; it never holds a secret or the inside of the hub. */
export class HubError extends Error {
  readonly type: ErrorType
  readonly items: readonly ErrorItem[]
  /** Extra response headers: `Retry-After`, `Allow`, `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    type: ErrorType,
    detail: string,
    options: { items?: readonly ErrorItem[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause })
    this.name = 'HubError'
    this.type = type
    this.items = options.items ?? [{ type, detail }]
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return errorTable[this.type].status
  }
}

/** 422 with one entry at one place. */
export function invalid(type: ErrorType, detail: string, loc: Loc): HubError {
  return new HubError(type, detail, { items: [{ type, detail, loc }] })
}

/** 404 for what does not exist and for what the caller may not see: the two must not be told apart. */
export function notFound(what: string): HubError {
  return new HubError('not_found', `${what} does not exist or is not visible to you.`)
}

/** RFC 9457 body. Both dialects show the same facts: `/v1` as the body, GraphQL under `extensions.problem`. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly request_id: string
  readonly errors: readonly ErrorItem[]
}

/** Renders any error as a Problem. What is not a HubError is a 500 that says nothing of its inside; the caller logs it. */
export function toProblem(error: unknown, requestId: string): Problem {
  const known =
    error instanceof HubError
      ? error
      : new HubError('internal', `The hub failed. Quote request ${requestId} when you report it.`)
  const row = errorTable[known.type]
  return {
    type: `/problems/${known.type}`,
    title: row.title,
    status: row.status,
    detail: known.message,
    instance: `/requests/${requestId}`,
    request_id: requestId,
    errors: known.items,
  }
}
