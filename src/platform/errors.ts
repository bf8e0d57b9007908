/**
 * The error class of the hub, over the closed table of error types.
 *
 * A verb throws `new HubError(type, detail, …)`; each API renders it in its own form (Problem in `/v1`, `extensions` in GraphQL).
 * The documentation pages under `/problems/` and the tests read the same table.
 */

import { errorTable } from './error-table.ts'
import { wellFormed } from './well-formed.ts'

export { errorTable }

export type ErrorType = keyof typeof errorTable

/**
 * A location in the request. A verb gives the path of a field in its input, `["files", 0, "contentType"]`; the API layers prefix its source and
 * use their own spelling: `["input", "files", 0, "contentType"]`, `["body", "files", 0, "content_type"]`, `["query", "limit"]`.
 */
export type Loc = ReadonlyArray<string | number>

/** One entry of `errors[]`. `type` may be a check code of card validation, which is why it is not only `ErrorType`. */
export interface ErrorItem {
  readonly type: string
  readonly detail: string
  readonly loc?: Loc
  readonly [extra: string]: unknown
}

/** An error from the closed table. `detail` names the problem and the fix, never a secret or internals of the hub. */
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

/** 422 with one entry at one location. */
export function invalid(type: ErrorType, detail: string, loc: Loc): HubError {
  return new HubError(type, detail, { items: [{ type, detail, loc }] })
}

/** 413 for a part of a request. The message begins with the location of that part, which the API layers replace with their own spelling. */
export function tooLarge(detail: string, loc: Loc): HubError {
  return new HubError('too_large', `${loc.join('.')}: ${detail}`, { items: [{ type: 'too_large', detail, loc }] })
}

/** 404 both for missing and for invisible resources: clients must not be able to distinguish them. */
export function notFound(what: string): HubError {
  return new HubError('not_found', `${what} does not exist or is not visible to you.`)
}

/** RFC 9457 body: the response body in `/v1`, `extensions.problem` in GraphQL. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly request_id: string
  readonly errors: readonly ErrorItem[]
}

/** Renders any error as a Problem. Anything but a HubError becomes a 500 without internals; the caller logs it. */
export function toProblem(error: unknown, requestId: string): Problem {
  const known =
    error instanceof HubError
      ? error
      : new HubError('internal', `Internal error. Include request ${requestId} in your report.`)
  const row = errorTable[known.type]
  return {
    type: `/problems/${known.type}`,
    title: row.title,
    status: row.status,
    detail: wellFormed(known.message),
    instance: `/requests/${requestId}`,
    request_id: requestId,
    errors: known.items.map(readable),
  }
}

/** Sentences and places quote the request, which may have what clients cannot read. */
const readable = (item: ErrorItem): ErrorItem => ({
  ...item,
  detail: wellFormed(item.detail),
  ...(item.loc && { loc: wellFormed(item.loc) }),
})
