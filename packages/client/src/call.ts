/**
 * One call of `/v1`. Transient failures are retried; every POST carries an Idempotency-Key, which its attempts share
 * until the hub answers.
 */

import { parseExact, writeExact } from '@hub/formats/exact-json'
import { z } from 'zod'
import type { CheckFor } from './agreement.ts'
import type { HubClientOptions } from './caller-options.ts'
import { problemOf, send, shownUrl, textWithin } from './http.ts'
import { LocalError, ProblemError, TransferError } from './problem.ts'
import { type AnswerTo, type AnyParts, type Parts, type Request, requestLine } from './request.ts'
import { defaultRetry, type RetryAfter, withRetry } from './retry.ts'

/** Completing an upload hashes the file before the hub responds. */
const RESPONSE_TIMEOUT_MS = 280_000

/** The hub's own answers have at most 32 MiB. */
const MAX_ANSWER_BYTES = 64 * 1_048_576

interface CallOptions {
  /** Aborts this call, besides the client's own signal. */
  readonly signal?: AbortSignal
  /** The Idempotency-Key of a POST. */
  readonly key?: string
  /** A tar archive as the body, where the operation takes one. */
  readonly archive?: Uint8Array<ArrayBuffer>
  /** Parses the response. `JSON.parse` is ten times as fast and safe where the response holds no free-form JSON. */
  readonly read?: (text: string) => unknown
}

interface GraphOptions extends Pick<CallOptions, 'signal' | 'read'> {
  /** A query: it changes nothing, so that a transient failure is tried again. */
  readonly isRepeatable?: boolean
}

export type Caller = ReturnType<typeof openCaller>

/**
 * Calls to one hub with one credential. They reject with `ProblemError` (an error response), `TransferError` (no usable
 * response) or the signal's reason.
 */
export function openCaller(options: HubClientOptions) {
  const base = options.url.replace(/\/+$/, '')
  const retry = options.retry ?? defaultRetry
  const clientSignal = options.signal ?? new AbortController().signal
  const authorization: Record<string, string> = options.token ? { authorization: `Bearer ${options.token}` } : {}

  /** The response as parsed by `check`, which must fit the operation's declared response. */
  async function call<const Line extends Request, Check extends z.ZodType>(
    line: Line,
    check: CheckFor<AnswerTo<Line>, Check>,
    ...[given]: object extends Parts<Line> ? [(Parts<Line> & CallOptions)?] : [Parts<Line> & CallOptions]
  ): Promise<z.output<Check>> {
    const parts: AnyParts & CallOptions = given ?? {}
    const { body, archive, key = randomId(), read = parseExact } = parts
    const signal = parts.signal ? AbortSignal.any([clientSignal, parts.signal]) : clientSignal
    const { method, target } = requestLine(line, parts)
    const url = base + target
    const headers: Record<string, string> = { accept: 'application/json', ...authorization }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (archive) headers['content-type'] = 'application/x-tar'
    // One key for all attempts: the hub stores no error that is worth another one (contract, "Repeated requests").
    if (method === 'POST') headers['idempotency-key'] = key
    return withRetry(retry, signal, async () => {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)])
      const init = { method, headers, signal: bounded, redirect: 'error' as const }
      const response = await withTimeoutError(signal, url, () =>
        send(url, body === undefined ? { ...init, body: archive ?? null } : { ...init, body: writeExact(body) }),
      )
      if (!response.ok) throw await problemOf(response)
      return parseResponse<Check>(response, url, check, read)
    })
  }

  /**
   * A GraphQL document, for what `/v1` does not have. A mutation is sent once: it has no Idempotency-Key, so a repeat
   * could act twice. An error of the graph is a `ProblemError` as in `/v1`.
   */
  async function graph<Check extends z.ZodType>(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    check: Check,
    { signal: given, read = parseExact, isRepeatable = false }: GraphOptions = {},
  ): Promise<z.output<Check>> {
    const url = `${base}/graphql`
    const signal = given ? AbortSignal.any([clientSignal, given]) : clientSignal
    const headers = { accept: 'application/json', 'content-type': 'application/json', ...authorization }
    const ask = async () => {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)])
      const body = writeExact({ query, variables })
      const init = { method: 'POST', headers, body, redirect: 'error', signal: bounded } as const
      const response = await withTimeoutError(signal, url, () => send(url, init))
      if (!response.ok) throw await problemOf(response)
      const { data, errors } = await parseResponse(response, url, graphAnswer, read)
      const [error] = errors ?? []
      if (error) throw problemOfGraph(error, data)
      return checkedAnswer(url, check, data)
    }
    return isRepeatable ? withRetry(retry, signal, ask) : ask()
  }

  return { url: base, retry, signal: clientSignal, call, graph, ...streamsOf(base, clientSignal, authorization) }
}

/** The requests whose responses are streams; they are never retried. */
function streamsOf(base: string, clientSignal: AbortSignal, authorization: Readonly<Record<string, string>>) {
  /** The events of one GraphQL operation (GraphQL over SSE, distinct connections). */
  async function graphStream(query: string, variables: Readonly<Record<string, unknown>>, within: AbortSignal) {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json', ...authorization }
    const response = await send(`${base}/graphql/stream`, {
      method: 'POST',
      headers,
      body: writeExact({ query, variables }),
      redirect: 'error',
      signal: AbortSignal.any([clientSignal, within]),
    })
    if (!response.ok) throw await problemOf(response)
    return response
  }

  /** A GET with a streamed response. */
  async function stream<const Line extends Request>(
    line: Line,
    parts: Parts<Line>,
    headers: Readonly<Record<string, string>>,
    within: AbortSignal,
  ) {
    const response = await send(base + requestLine(line, parts as AnyParts).target, {
      headers: { ...authorization, ...headers },
      signal: AbortSignal.any([clientSignal, within]),
      redirect: 'error',
    })
    if (!response.ok) throw await problemOf(response)
    return response
  }

  return { graphStream, stream }
}

/** Turns our own response timeout into a retryable `TransferError`; an abort by the caller stays an abort. */
async function withTimeoutError<T>(signal: AbortSignal, url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new TransferError(
        `${shownUrl(url)} did not answer within ${RESPONSE_TIMEOUT_MS / 1000} s.`,
        shownUrl(url),
        {
          cause: error,
        },
      )
    }
    throw error
  }
}

/** The parsed response; null for a 204. */
async function parseResponse<Check extends z.ZodType>(
  response: Response,
  url: string,
  check: Check,
  read: (text: string) => unknown,
): Promise<z.output<Check>> {
  const text = await textWithin(response, MAX_ANSWER_BYTES).catch((error: unknown) => {
    if (error instanceof LocalError) throw error
    throw new TransferError(`The response from ${shownUrl(url)} was cut off.`, shownUrl(url), { cause: error })
  })
  try {
    return check.parse(response.status === 204 ? null : read(text))
  } catch (error) {
    throw unexpected(url, `answered ${response.status}`, error)
  }
}

function unexpected(url: string, answered: string, cause: unknown): Error {
  const why = cause instanceof z.ZodError ? z.prettifyError(cause) : 'it is not JSON'
  return new Error(`${shownUrl(url)} ${answered} with an unexpected response: ${why}. Is this a hub?`, { cause })
}

const graphError = z.looseObject({
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])).optional(),
  extensions: z.looseObject({ status: z.number().optional(), problem: z.unknown() }).optional(),
})
export type GraphError = z.output<typeof graphError>
type GraphData = Readonly<Record<string, unknown>> | null | undefined
/** Without `data` where the document was refused before it ran. */
const graphAnswer = z.looseObject({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(graphError).optional(),
})

/** The first error of a GraphQL result as the error that `/v1` would answer. */
export function problemOfGraph({ message, path = [], extensions }: GraphError, data: GraphData): ProblemError {
  const { status = 400, problem = { title: message } } = extensions ?? {}
  const error: ProblemError & RetryAfter = new ProblemError(status, problem, null, { path, data: data ?? null })
  error.retryAfterMs = error.retryAfterS === null ? null : error.retryAfterS * 1000
  return error
}

function checkedAnswer<Check extends z.ZodType>(url: string, check: Check, data: unknown): z.output<Check> {
  const checked = check.safeParse(data)
  if (checked.success) return checked.data
  throw unexpected(url, 'answered', checked.error)
}

/** A random UUID. Browsers have `randomUUID` on pages of https and of this machine alone, random bytes everywhere. */
function randomId(): string {
  const { crypto } = globalThis
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
