/** One call of `/v1`. Transient failures are retried; every POST carries an Idempotency-Key, which its attempts share until the hub answers. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { CheckFor } from './agreement.ts'
import { readJson, writeJson } from './exact-json.ts'
import { problemOf, send, shownUrl } from './http.ts'
import { type ProblemError, TransferError } from './problem.ts'
import { type AnswerTo, type AnyParts, type Parts, type Request, requestLine } from './request.ts'
import { defaultRetry, type RetryPolicy, withRetry } from './retry.ts'

/** Completing an upload hashes the file before the hub responds. */
const RESPONSE_TIMEOUT_MS = 280_000

export interface HubClientOptions {
  /** Base URL of the hub, without `/v1`. */
  readonly url: string
  /** Null for anonymous access to public repos. */
  readonly token: string | null
  readonly retry?: RetryPolicy
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal
}

interface CallOptions {
  /** Aborts this call, besides the client's own signal. */
  readonly signal?: AbortSignal
  /** The Idempotency-Key of a POST. */
  readonly key?: string
  /** Parses the response. `JSON.parse` is ten times as fast and safe where the response holds no free-form JSON. */
  readonly read?: (text: string) => unknown
}

export type Caller = ReturnType<typeof openCaller>

/** Calls to one hub with one credential. They reject with `ProblemError` (an error response), `TransferError` (no usable response) or the signal's reason. */
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
    const { body, key = randomUUID(), read = readJson } = parts
    const signal = parts.signal ? AbortSignal.any([clientSignal, parts.signal]) : clientSignal
    const { method, target } = requestLine(line, parts)
    const url = base + target
    const headers: Record<string, string> = { accept: 'application/json', ...authorization }
    if (body !== undefined) headers['content-type'] = 'application/json'
    let idempotencyKey = key
    return withRetry(retry, signal, async () => {
      if (method === 'POST') headers['idempotency-key'] = idempotencyKey
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)])
      const init = { method, headers, signal: bounded, redirect: 'error' as const }
      const response = await withTimeoutError(signal, url, () =>
        send(url, body === undefined ? init : { ...init, body: writeJson(body) }),
      )
      if (!response.ok) {
        const refused = await problemOf(response)
        // A stored error response would only be replayed, so the next attempt needs a new key; an unstored one keeps its key.
        if (isStored(refused)) idempotencyKey = randomUUID()
        throw refused
      }
      return parseResponse<Check>(response, url, check, read)
    })
  }

  /** A GET with a streamed response; never retried. */
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

  return { url: base, retry, signal: clientSignal, call, stream }
}

/** Whether the hub stores this error as the response to its Idempotency-Key (contract, "Additions"). */
function isStored({ status, kind }: ProblemError): boolean {
  return status < 500 && status !== 429 && !kind.startsWith('idempotency.')
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
  const text = await response.text().catch((error: unknown) => {
    throw new TransferError(`The response from ${shownUrl(url)} was cut off.`, shownUrl(url), { cause: error })
  })
  try {
    return check.parse(response.status === 204 ? null : read(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new Error(
      `${shownUrl(url)} answered ${response.status} with an unexpected response: ${why}. Is this a hub?`,
      {
        cause: error,
      },
    )
  }
}
