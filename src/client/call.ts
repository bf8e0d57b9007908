/** One call of `/v1`: it retries what passes by itself, and every POST carries an Idempotency-Key that its tries share until it is answered. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Fitting } from './agreement.ts'
import { readJson, writeJson } from './exact-json.ts'
import { refusal, send, shownUrl } from './http.ts'
import { type ProblemError, TransferError } from './problem.ts'
import { type AnswerTo, type AnyParts, type Parts, type Request, requestLine } from './request.ts'
import { defaultRetry, type RetryPolicy, withRetry } from './retry.ts'

/** How long the hub may take to answer: completing hashes what was sent before it answers. */
const ANSWER_WITHIN_MS = 280_000

export interface HubClientOptions {
  /** Where the hub is, without `/v1`. */
  readonly url: string
  /** Null: anonymous, for public repos. */
  readonly token: string | null
  readonly retry?: RetryPolicy
  /** Ends every call of this client. */
  readonly signal?: AbortSignal
}

interface CallOptions {
  /** The Idempotency-Key of a POST. */
  readonly key?: string
  /** What reads the answer: `JSON.parse`, which is ten times as fast, where it holds no free-form JSON. */
  readonly read?: (text: string) => unknown
}

export type Caller = ReturnType<typeof openCaller>

/** Calls to one hub with one credential. They reject with `ProblemError` (the hub refused), `TransferError` (no usable answer) or the signal's reason. */
export function openCaller(options: HubClientOptions) {
  const base = options.url.replace(/\/+$/, '')
  const retry = options.retry ?? defaultRetry
  const signal = options.signal ?? new AbortController().signal
  const authorization: Record<string, string> = options.token ? { authorization: `Bearer ${options.token}` } : {}

  /** The answer as `check` reads it, which the answers of the operation must fit. */
  async function call<const Line extends Request, Check extends z.ZodType>(
    line: Line,
    check: Fitting<AnswerTo<Line>, Check>,
    ...[given]: object extends Parts<Line> ? [(Parts<Line> & CallOptions)?] : [Parts<Line> & CallOptions]
  ): Promise<z.output<Check>> {
    const parts: AnyParts & CallOptions = given ?? {}
    const { body, key = randomUUID(), read = readJson } = parts
    const { method, target } = requestLine(line, parts)
    const url = base + target
    const headers: Record<string, string> = { accept: 'application/json', ...authorization }
    if (body !== undefined) headers['content-type'] = 'application/json'
    let tryKey = key
    return withRetry(retry, signal, async () => {
      if (method === 'POST') headers['idempotency-key'] = tryKey
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
      const init = { method, headers, signal: bounded, redirect: 'error' as const }
      const response = await bounding(signal, url, () =>
        send(url, body === undefined ? init : { ...init, body: writeJson(body) }),
      )
      if (!response.ok) {
        const refused = await refusal(response)
        // The hub keeps a refusal under its key and would only say it again; what it does not keep goes on under the same one.
        if (isKept(refused)) tryKey = randomUUID()
        throw refused
      }
      return answer<Check>(response, url, check, read)
    })
  }

  /** A GET whose answer is read as it comes; no second try. */
  async function stream<const Line extends Request>(
    line: Line,
    parts: Parts<Line>,
    headers: Readonly<Record<string, string>>,
    within: AbortSignal,
  ) {
    const response = await send(base + requestLine(line, parts as AnyParts).target, {
      headers: { ...authorization, ...headers },
      signal: AbortSignal.any([signal, within]),
      redirect: 'error',
    })
    if (!response.ok) throw await refusal(response)
    return response
  }

  return { url: base, retry, signal, call, stream }
}

/** Whether the hub stores such a refusal as the answer to its Idempotency-Key (contract, "Additions"). */
function isKept({ status, kind }: ProblemError): boolean {
  return status < 500 && status !== 429 && !kind.startsWith('idempotency.')
}

/** Tells the caller's own abort from our limit on the time of one answer: the latter is a failure that may pass. */
async function bounding<T>(signal: AbortSignal, url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new TransferError(`${shownUrl(url)} did not answer within ${ANSWER_WITHIN_MS / 1000} s.`, shownUrl(url), {
        cause: error,
      })
    }
    throw error
  }
}

/** An answer without content is null. */
async function answer<Check extends z.ZodType>(
  response: Response,
  url: string,
  check: Check,
  read: (text: string) => unknown,
): Promise<z.output<Check>> {
  const text = await response.text().catch((error: unknown) => {
    throw new TransferError(`The answer of ${shownUrl(url)} broke off.`, shownUrl(url), { cause: error })
  })
  try {
    return check.parse(response.status === 204 ? null : read(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new Error(`${shownUrl(url)} answered ${response.status}, but not as /v1 does: ${why}. Is this a hub?`, {
      cause: error,
    })
  }
}
