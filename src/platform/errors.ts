/**
 * The error class of the hub, over the closed table of error types.
 *
 * A verb throws `new HubError(type, detail, …)`; each API renders it in its own form (Problem in `/v1`, `extensions` in
 * GraphQL). The documentation pages under `/problems/` and the tests read the same table.
 */

import { wellFormed } from '@hub/text/well-formed'
import { errorTable } from './error-table.ts'
import { type LimitFacts, type LimitMembers, type LimitType, limitMembers } from './limit-facts.ts'

export { errorTable }

export type ErrorType = keyof typeof errorTable

/** Of errors that are about no limit. */
export type PlainErrorType = Exclude<ErrorType, LimitType>

/**
 * A location in the request. A verb gives the path of a field in its input, `["files", 0, "contentType"]`; the API
 * layers prefix its source and use their own spelling: `["input", "files", 0, "contentType"]`,
 * `["body", "files", 0, "content_type"]`, `["query", "limit"]`.
 */
export type Loc = ReadonlyArray<string | number>

/** One entry of `errors[]`. `type` may be a check code of card validation, which is why it is not only `ErrorType`. */
export interface ErrorItem {
  readonly type: string
  readonly detail: string
  readonly loc?: Loc
  readonly [extra: string]: unknown
}

interface Options {
  readonly items?: readonly ErrorItem[]
  readonly facts?: LimitFacts
  readonly headers?: Record<string, string>
  readonly cause?: unknown
}

/** A request may have thousands of the same fault. */
const MOST_FAULTS = 50
/** Of other errors, which name what they are about: a commit may delete a hundred thousand paths that are not there. */
const MOST_NAMED_THINGS = 100

/** An error from the closed table. `detail` names the problem and the fix, never a secret or internals of the hub. */
export class HubError extends Error {
  readonly type: ErrorType
  readonly items: readonly ErrorItem[]
  /** Of a limit that the request met, and when to try again: both dialects show them, and `/v1` has headers of them. */
  readonly facts: LimitFacts
  /** Headers of the protocol: `Allow`, `WWW-Authenticate`, `Content-Range`. */
  readonly headers: Readonly<Record<string, string>>

  /** An error about a limit says its numbers. */
  constructor(type: PlainErrorType, detail: string, options?: Options)
  constructor(type: ErrorType, detail: string, options: Options & { readonly facts: LimitFacts })
  constructor(type: ErrorType, detail: string, options: Options = {}) {
    super(detail, { cause: options.cause })
    this.name = 'HubError'
    this.type = type
    this.facts = options.facts ?? {}
    const items = options.items ?? [{ type, detail }]
    this.items = withLimit(items.slice(0, this.status === 422 ? MOST_FAULTS : MOST_NAMED_THINGS), this.facts)
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return errorTable[this.type].status
  }

  /** The same error in other words, or with other places. */
  reworded(detail: string, items: readonly ErrorItem[], cause: unknown = this): HubError {
    const { facts, headers } = this
    return new HubError(this.type, detail, { items, facts, headers: { ...headers }, cause })
  }
}

/** `limit` of the first entry, where the limit has a name. */
function withLimit(items: readonly ErrorItem[], { name, limit, used = null }: LimitFacts): readonly ErrorItem[] {
  const [first, ...others] = items
  if (name === undefined || !first) return items
  return [{ ...first, limit: { name, maximum: limit, actual: used } }, ...others]
}

/** 422 with one entry at one location. */
export function invalid(type: PlainErrorType, detail: string, loc: Loc): HubError {
  return new HubError(type, detail, { items: [{ type, detail, loc }] })
}

/**
 * 413 for a part of a request, with what that has and what it may have. The message begins with the location of that
 * part, which the API layers replace with their own spelling.
 */
export function tooLarge(detail: string, loc: Loc, facts: LimitFacts): HubError {
  return new HubError('too_large', `${loc.join('.')}: ${detail}`, {
    items: [{ type: 'too_large', detail, loc }],
    facts,
  })
}

/** Five quoted paths of 1 KiB fit. An id has no rule in a request, and may be as long as a body there. */
const MOST_NAMED = 8192

/** 404 both for missing and for invisible resources: clients must not be able to distinguish them. */
export function notFound(what: string): HubError {
  return new HubError('not_found', `${cut(what, MOST_NAMED)} does not exist or is not visible to you.`)
}

/** RFC 9457 body: the response body in `/v1`, `extensions.problem` in GraphQL. */
export interface Problem extends LimitMembers {
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
    detail: shownMessage(known),
    instance: `/requests/${requestId}`,
    request_id: requestId,
    errors: known.items.map((item) => readable(item, known.type)),
    ...limitMembers(known.type, known.facts),
  }
}

/** Of what an error about the form of a request quotes; its own words have some hundred. */
const MOST_CHARACTERS = 2000
const MOST_OF_NAME = 200

/** The sentence of an error, as clients get it. */
export const shownMessage = ({ message, type }: HubError): string => shownText(message, type)

/**
 * Sentences and places quote the request, which may have what clients cannot read. Where its form is wrong it may have
 * a name as long as a body; where a file or a repo is missing, its name has a rule, and all of them are listed.
 */
const readable = (item: ErrorItem, type: ErrorType): ErrorItem => ({
  ...item,
  detail: shownText(item.detail, type),
  ...(item.loc && { loc: item.loc.map(shownName) }),
})

const shownText = (text: string, type: ErrorType): string =>
  wellFormed(type.startsWith('validation.') ? cut(text, MOST_CHARACTERS) : text)

const shownName = (name: string | number) => (typeof name === 'string' ? wellFormed(cut(name, MOST_OF_NAME)) : name)

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text)
