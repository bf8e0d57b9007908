/** One request over `fetch`, with the client's errors in place of fetch's. */
import { ProblemError, TransferError } from './problem.ts'
import { type Restable, retryAfterMs } from './retry.ts'

/** The address without query and credentials: signed URLs carry their right in the query, which must not reach a log. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? '(an address that is no URL)' : `${parsed.origin}${parsed.pathname}`
}

/** Like fetch; what fetch throws becomes a `TransferError` that names the cause, and an abort stays an abort. */
export async function send(url: string, init: RequestInit & { duplex?: 'half' }): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason
    throw new TransferError(`${shownUrl(url)} cannot be reached: ${causeOf(error)}`, shownUrl(url), { cause: error })
  }
}

/** The innermost reason: fetch says only "fetch failed" and keeps the system's word one or two causes down. */
function causeOf(error: unknown): string {
  let inner: unknown = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0]
  return inner instanceof Error ? inner.message : String(inner)
}

/** The refusal that `response` is, read whole (64 KiB at most are kept) so that its connection can be used again. */
export async function refusal(response: Response): Promise<ProblemError & Restable> {
  const text = await response.text().catch(() => '')
  const error: ProblemError & Restable = new ProblemError(
    response.status,
    parseJson(text.slice(0, 65_536)),
    response.headers.get('x-request-id'),
  )
  error.restMs = retryAfterMs(response.headers.get('retry-after'), Date.now())
  return error
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
