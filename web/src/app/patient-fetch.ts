/** A hub that is busy for a moment is asked again for what a page reads: `fetch` for the graph, and its rule. */

/** Together about 15 s where the hub names no time, after which a person is told. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000]
const LONGEST_WAIT_MS = 15_000

/**
 * Sends again what `isBusy` finds unanswered, when `Retry-After` says so; the last answer after that. For what changes
 * nothing.
 */
export async function patiently(
  send: () => Promise<Response>,
  isBusy: (response: Response) => Promise<boolean>,
  signal?: AbortSignal | null,
): Promise<Response> {
  for (const usual of WAITS_MS) {
    const response = await send()
    if (response.status !== 503 || !(await isBusy(response.clone()))) return response
    const named = Number(response.headers.get('retry-after')) * 1000
    await wait(Math.min(named > 0 ? named : usual, LONGEST_WAIT_MS), signal)
  }
  return send()
}

/**
 * Repeats a query that is answered with 503 `unavailable`. Never a mutation: whether it was done is unknown then.
 * Contract, "Repeated requests".
 */
export const patientFetch: typeof fetch = async (input, init) =>
  patiently(
    () => fetch(input, init),
    async (response) => isRead(init?.body) && (await isUnavailable(response)),
    init?.signal,
  )

const isRead = (body: unknown): boolean =>
  typeof body === 'string' && /^\s*(?:query\b|\{)/.test(String((JSON.parse(body) as { query?: unknown }).query))

/** Other 503 say what a hub has not: those stay. */
const isUnavailable = async (response: Response): Promise<boolean> =>
  (await response.text()).includes('/problems/unavailable"')

const wait = (ms: number, signal: AbortSignal | null | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
