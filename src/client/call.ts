/** One call of `/v1`: it retries what passes by itself, and every POST carries an Idempotency-Key that its tries share until it is answered. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { readJson, writeJson } from './exact-json.ts'
import { refusal, send, shownUrl } from './http.ts'
import { type ProblemError, TransferError } from './problem.ts'
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

  async function call<T>(
    method: string,
    path: string,
    shape: z.ZodType<T>,
    body?: unknown,
    { key = randomUUID(), read = readJson }: CallOptions = {},
  ): Promise<T> {
    const headers: Record<string, string> = { accept: 'application/json', ...authorization }
    if (body !== undefined) headers['content-type'] = 'application/json'
    let tryKey = key
    return withRetry(retry, signal, async () => {
      if (method === 'POST') headers['idempotency-key'] = tryKey
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
      const init = { method, headers, signal: bounded, redirect: 'error' as const }
      const response = await bounding(signal, base + path, () =>
        send(base + path, body === undefined ? init : { ...init, body: writeJson(body) }),
      )
      if (!response.ok) {
        const refused = await refusal(response)
        // The hub keeps a refusal under its key and would only say it again; what it does not keep goes on under the same one.
        if (isKept(refused)) tryKey = randomUUID()
        throw refused
      }
      return answer(response, base + path, shape, read)
    })
  }

  /** A GET whose answer is read as it comes; no second try. */
  async function stream(path: string, headers: Readonly<Record<string, string>>, within: AbortSignal) {
    const response = await send(base + path, {
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
async function answer<T>(
  response: Response,
  url: string,
  shape: z.ZodType<T>,
  read: (text: string) => unknown,
): Promise<T> {
  const text = await response.text().catch((error: unknown) => {
    throw new TransferError(`The answer of ${shownUrl(url)} broke off.`, shownUrl(url), { cause: error })
  })
  try {
    return shape.parse(response.status === 204 ? null : read(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new Error(`${shownUrl(url)} answered ${response.status}, but not as /v1 does: ${why}. Is this a hub?`, {
      cause: error,
    })
  }
}
