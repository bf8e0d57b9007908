/** The client's error classes. */
import { z } from 'zod'
import { type ProblemEntry, refusedItems } from './refused.ts'

export type { ProblemEntry } from './refused.ts'

const problemBody = z.looseObject({
  type: z.string().default('about:blank'),
  title: z.string().default(''),
  status: z.number().optional(),
  detail: z.string().default(''),
  request_id: z.string().nullish(),
  unit: z.string().optional(),
  limit: z.number().optional(),
  used: z.number().optional(),
  left: z.number().optional(),
  retry_after_s: z.number().optional(),
  resets_at: z.string().optional(),
  errors: z
    .array(
      z.looseObject({
        type: z.string().default(''),
        detail: z.string().default(''),
        loc: z.array(z.union([z.string(), z.number()])).nullish(),
      }),
    )
    .default([]),
})

/** The limit that a request met; what is not known of it is null. */
export interface ProblemLimit {
  readonly limit: number
  /** What counts against it. */
  readonly used: number | null
  readonly left: number | null
  /** What is counted: `bytes`, `gpu_hours`, `usd`, `requests` … */
  readonly unit: string | null
  /** RFC 3339. */
  readonly resetsAt: string | null
}

/** Where in an answer of the graph a Problem stands, and what is there next to it. */
export interface GraphPlace {
  /** The field that failed, by its keys in the answer; empty where the whole operation did. */
  readonly path: ReadonlyArray<string | number>
  /**
   * The data of the answer: root fields that did not fail are in it, so what a mutation did before is. Null where
   * nothing was answered.
   */
  readonly data: Readonly<Record<string, unknown>> | null
}

/** The hub answered with a Problem (RFC 9457). `kind` is the last segment of its `type`. */
export class ProblemError extends Error {
  readonly status: number
  /** The URI of the kind of problem, whose page explains it. */
  readonly type: string
  readonly kind: string
  readonly title: string
  readonly requestId: string | null
  readonly entries: readonly ProblemEntry[]
  /** Null where the Problem is about none. */
  readonly limit: ProblemLimit | null
  /** Seconds until the request may succeed, where the hub says so. */
  readonly retryAfterS: number | null
  /** Of an answer of the graph; null in `/v1`. */
  readonly graph: GraphPlace | null

  constructor(status: number, body: unknown, requestId: string | null, graph: GraphPlace | null = null) {
    const parsed = problemBody.safeParse(body)
    const problem = parsed.success ? parsed.data : problemBody.parse({})
    super(problem.detail || problem.title || `The hub answered ${status}.`)
    this.name = 'ProblemError'
    this.status = status
    this.type = problem.type
    this.kind = problem.type.slice(problem.type.lastIndexOf('/') + 1)
    this.title = problem.title || `HTTP ${status}`
    this.requestId = problem.request_id ?? requestId
    this.entries = problem.errors.map((entry) => ({ type: entry.type, detail: entry.detail, loc: entry.loc ?? [] }))
    this.limit = limitOf(problem)
    this.retryAfterS = problem.retry_after_s ?? null
    this.graph = graph
  }

  /** The Problem's `errors`: each fault with its place in the request. */
  get errors(): readonly ProblemEntry[] {
    return this.entries
  }
}

function limitOf({ limit, used, left, unit, resets_at }: z.output<typeof problemBody>): ProblemLimit | null {
  if (limit === undefined) return null
  return { limit, used: used ?? null, left: left ?? null, unit: unit ?? null, resetsAt: resets_at ?? null }
}

interface TransferErrorOptions {
  readonly cause?: unknown
  readonly isUnreachable?: boolean
}

/**
 * No usable response: connection refused or cut, timeout, or an unexpected body. `where` never contains a query string.
 */
export class TransferError extends Error {
  readonly where: string
  /** Nothing answers there at all. */
  readonly isUnreachable: boolean

  constructor(message: string, where: string, { isUnreachable = false, ...options }: TransferErrorOptions = {}) {
    super(message, options)
    this.name = 'TransferError'
    this.where = where
    this.isUnreachable = isUnreachable
  }
}

/** A problem on this machine, such as a bad path or a file that changed while it was read. */
export class LocalError extends Error {
  readonly faults: readonly string[]

  constructor(message: string, faults: readonly string[] = []) {
    super(message)
    this.name = 'LocalError'
    this.faults = faults
  }
}

/**
 * Which items of the body's list `member` were rejected, by index, with the reason: from the `loc` of each entry in
 * `errors[]`.
 */
export const refusedIndexes = (error: ProblemError, member: string, length: number): Map<number, string> =>
  refusedItems(error.entries, error.message, member, length)

/**
 * Whether the hub refuses the content itself, so sending it again cannot help. A full quota and a missing right are not
 * that: room may come, and a person may give the right.
 */
export const isOfContent = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && [400, 413, 422].includes(error.status) && !error.kind.startsWith('quota.')

/** An error as one line, with the request id if there is one. */
export function failureLine(error: unknown): string {
  if (error instanceof ProblemError) {
    const title = error.message.startsWith(error.title) ? '' : `${error.title}: `
    return `${title}${error.message}${error.requestId ? ` (request ${error.requestId})` : ''}`
  }
  if (error instanceof Error) return error.message
  return String(error)
}
