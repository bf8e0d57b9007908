/** One request of this dialect: what it sends, and what it asks of the graph. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { parseBody } from '../../src/http/dialect/json-body.ts'
import { type PlannedDocument, runDocument } from '../../src/http/dialect/planned-document.ts'
import type { Edge } from '../../src/http/server.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import type { Documents } from '../typed-documents.ts'
import { badRequest } from './refusal.ts'

/** A document of this dialect, by its file name. */
export type DocumentName = keyof Documents

export type Plans = ReadonlyMap<DocumentName, PlannedDocument>

/** The value of a document's one root field. */
export type Asked<Name extends DocumentName> = Documents[Name]['answer'][keyof Documents[Name]['answer']]

/** Made for each request, after it was admitted. */
export class Call {
  readonly edge: Edge
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly #plans: Plans
  readonly #query: URLSearchParams
  readonly #undo: (() => Promise<void>)[] = []

  constructor(parts: {
    readonly edge: Edge
    readonly request: FastifyRequest
    readonly reply: FastifyReply
    readonly plans: Plans
  }) {
    this.edge = parts.edge
    this.request = parts.request
    this.reply = parts.reply
    this.#plans = parts.plans
    const { url } = parts.request
    this.#query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
  }

  /** A segment of the path, decoded; '' if the route has none of this name. */
  param(name: string): string {
    return (this.request.params as Readonly<Record<string, string | undefined>>)[name] ?? ''
  }

  /** A member of the query; of several the first. */
  query(name: string): string | null {
    return this.#query.get(name)
  }

  /** Every value of a member of the query, which may also be spelled `name[]`, or be separated by commas. */
  queries(name: string): string[] {
    const values = [...this.#query.getAll(name), ...this.#query.getAll(`${name}[]`)]
    return values.flatMap((value) => value.split(',')).filter((value) => value !== '')
  }

  /** Whether a member of the query says yes. */
  isAsked(name: string): boolean {
    return /^(?:1|true)$/i.test(this.#query.get(name) ?? '')
  }

  /** A new context, as every operation has one of its own. */
  context(): RequestContext {
    return this.edge.contextOf(this.request)
  }

  /** Whether the request has a valid credential. */
  get hasCredential(): boolean {
    return this.request.viewer !== null && this.request.viewer.kind !== 'anonymous'
  }

  /** The origin by which the client reached the hub, without a slash at the end: it reads absolute addresses. */
  get origin(): string {
    return this.context().peer?.hubUrl ?? ''
  }

  /** The body, of JSON or of a form, as `schema` has it; 400 if it is not. Members that it does not name are ignored. */
  body<T extends z.ZodType>(schema: T): z.output<T> {
    const { body, headers } = this.request
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
    const value = isForm ? formOf(body) : parseBody({ keepsNumbers: false }, body)
    const read = schema.safeParse(value ?? {})
    if (read.success) return read.data
    throw badRequest(`The body is not as this route takes it: ${z.prettifyError(read.error).replaceAll('\n', ' ')}`)
  }

  /** The body of a route that streams it. Ending early leaves the connection open, for the answer. */
  stream(): AsyncIterable<Buffer> {
    return this.request.raw.iterator({ destroyOnReturn: false })
  }

  /** Counts memory as held by the caller until the answer is sent: what a route keeps of a streamed body. */
  holding(): (bytes: number) => void {
    return this.edge.holding(this.request)
  }

  /** Asks a document of the graph, counted against the caller's rate as in `/v1`. Throws the graph's errors. */
  async ask<Name extends DocumentName>(name: Name, variables: Documents[Name]['variables']): Promise<Asked<Name>> {
    const plan = this.#plans.get(name)
    if (!plan) throw new Error(`The route does not say that it asks ${name}.graphql.`)
    const { edge, request, reply } = this
    // A streamed body may take hours.
    await edge.renew(request)
    edge.spend(request, reply, plan.costOf(variables as Record<string, unknown>).objects)
    const ctx = edge.contextOf(request, { undo: this.#undo })
    const value = await runDocument(plan, { name, ctx, variables: variables as Record<string, unknown> })
    return value as Asked<Name>
  }

  /** Undoes what was asked so far of what is in vain without the rest. */
  async undo(): Promise<void> {
    for (const step of this.#undo.splice(0)) await step()
  }

  /**
   * `Link` to the next page, absolute, as clients follow it: this request with other members of the query, at another
   * path where that names what the listing is of.
   */
  nextPage(members: Readonly<Record<string, string>>, path?: string): Record<string, string> {
    const query = new URLSearchParams(this.#query)
    for (const [name, value] of Object.entries(members)) query.set(name, value)
    return { link: `<${this.origin}${path ?? this.request.url.split('?', 1)[0]}?${query}>; rel="next"` }
  }
}

/** A member that comes more than once is a list. */
function formOf(body: unknown): Record<string, string | string[]> {
  const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')
  const names = new Set(form.keys())
  return Object.fromEntries(
    [...names].map((name) => {
      const values = form.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}
