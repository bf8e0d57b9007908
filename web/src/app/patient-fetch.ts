/** `fetch` for the graph: a hub that is busy for a moment is asked again for what a page reads. */

/** Together about 15 s where the hub names no time, after which a person is told. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000]
const LONGEST_WAIT_MS = 15_000

/**
 * Repeats a query that is answered with 503 `unavailable`, when `Retry-After` says so. Never a mutation: whether it was
 * done is unknown then. Contract, "Repeated requests".
 */
export const patientFetch: typeof fetch = async (input, init) => {
  for (const usual of WAITS_MS) {
    const response = await fetch(input, init)
    if (response.status !== 503 || !isRead(init?.body) || !(await isUnavailable(response.clone()))) return response
    const named = Number(response.headers.get('retry-after')) * 1000
    await wait(Math.min(named > 0 ? named : usual, LONGEST_WAIT_MS), init?.signal)
  }
  return fetch(input, init)
}

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
