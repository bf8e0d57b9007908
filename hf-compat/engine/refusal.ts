/**
 * Errors as Hugging Face's clients read them: a status, `X-Error-Code`, by which they choose the exception,
 * `X-Error-Message`, and a body whose `error` is the whole sentence.
 */
import type { FastifyReply } from 'fastify'
import { type HubError, type Problem, toProblem } from '../../src/platform/errors.ts'
import { limitHeaders } from '../../src/platform/limit-facts.ts'

/** Codes that a client raises an exception of its own for. */
export type RefusalCode = 'RepoNotFound' | 'RevisionNotFound' | 'EntryNotFound'

interface RefusalOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the body next to `error`. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** An error that this dialect says itself: what is not here, and what it does not offer. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, message: string, { headers = {}, body = {} }: RefusalOptions = {}) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.code = code
    this.headers = headers
    this.body = body
  }
}

/** 404 with the code that makes the client raise the proper exception. */
export const missing = (code: RefusalCode, message: string): Refusal => new Refusal(404, code, message)

/** 400: the client raises `BadRequestError` with this sentence. */
export const badRequest = (message: string, code = 'BadRequest'): Refusal => new Refusal(400, code, message)

/** By this sentence alone a client tells a wrong key from a repo that is not there. */
const WRONG_KEY = 'Invalid credentials in Authorization header'

/** An error of the graph in this dialect. What the input breaks is 400 here. */
export function refusalOf(error: HubError, requestId: string): Refusal {
  const problem = toProblem(error, requestId)
  const message = error.type === 'auth.invalid' ? WRONG_KEY : sentenceOf(problem)
  const headers = { ...limitHeaders(problem), ...error.headers }
  return new Refusal(error.status === 422 ? 400 : error.status, codeOf(error.type), message, { headers })
}

/**
 * The sentence of a problem, whose places are those of the graph's input: a client of this dialect has never seen that
 * input, and calls a repo's name just so.
 */
function sentenceOf({ detail, errors }: Problem): string {
  const [root, ...rest] = errors[0]?.loc ?? []
  const place = `input.${rest.join('.')}: `
  if (root !== 'input' || !detail.startsWith(place)) return detail
  const called = rest.map((part) => (part === 'hfName' ? 'name' : part)).join('.')
  return `${called}: ${detail.slice(place.length)}`
}

/** `quota.storage` is `QuotaStorage`. */
const codeOf = (type: string) => type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Sends a refusal. A response to HEAD has the headers alone. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(refusal.status)
    .headers({
      'cache-control': 'no-store',
      'x-error-code': refusal.code,
      'x-error-message': headerText(refusal.message),
      ...refusal.headers,
    })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: refusal.message, ...refusal.body }))
}

/** A header is one line of visible ASCII; 500 characters of a sentence say enough, and the body has all. */
const headerText = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500)
