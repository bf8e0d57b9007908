/** One `fetch` request whose failures are the client's own errors. */
import { LocalError, ProblemError, TransferError } from './problem.ts'
import { parseRetryAfter, type RetryAfter } from './retry.ts'

/** The URL without query and credentials: a signed URL's query grants access and must not be logged. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return '(an invalid URL)'
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** Like fetch, but network errors become a `TransferError` that names the cause. An abort stays an abort. */
export async function send(url: string, init: RequestInit & { duplex?: 'half' }): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason
    const where = shownUrl(url)
    throw new TransferError(`${where} cannot be reached: ${causeOf(error)}`, where, {
      cause: error,
      isUnreachable: true,
    })
  }
}

/** The innermost cause: fetch only says "fetch failed" and nests the system error one or two levels down. */
function causeOf(error: unknown): string {
  let inner: unknown = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0]
  return inner instanceof Error ? inner.message : String(inner)
}

/** The text of a response; beyond this many bytes it rejects and ends the connection. */
export async function textWithin(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes <= maxBytes) {
      text += decoder.decode(value, { stream: true })
      continue
    }
    await reader.cancel()
    throw new LocalError(`${shownUrl(response.url)} answered more than ${maxBytes} bytes. Is this a hub?`)
  }
}

const MAX_PROBLEM_BYTES = 1_048_576

/**
 * The error response as a `ProblemError`. The body is drained so that the connection can be reused; at most 64 KiB are
 * parsed.
 */
export async function problemOf(response: Response): Promise<ProblemError & RetryAfter> {
  const text = await textWithin(response, MAX_PROBLEM_BYTES).catch(() => '')
  const error: ProblemError & RetryAfter = new ProblemError(
    response.status,
    parseJson(text.slice(0, 65_536)),
    response.headers.get('x-request-id'),
  )
  error.retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
  return error
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
