/** Subscriptions that continue where they broke off. Pure. */

interface Request {
  readonly query: string
  readonly variables: Record<string, unknown>
}

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null
}

/**
 * A request whose `$after` is the cursor of the newest result: the client sends the same object again when it has to
 * connect again, and a log would otherwise be repeated from its beginning. `heard` is called with each result. A
 * document without `$after` is left as it is.
 */
export function resumable(
  query: string,
  variables: object | undefined,
): { request: Request; heard: (result: Result) => void } {
  const request = { query, variables: { ...variables } as Record<string, unknown> }
  const takesCursor = /^\s*subscription\b[^{]*\$after\b/.test(query)
  return {
    request,
    heard: ({ data }) => {
      if (!takesCursor) return
      for (const field of Object.values(data ?? {})) {
        const cursor = (field as { readonly cursor?: unknown } | null)?.cursor
        if (typeof cursor === 'string') request.variables.after = cursor
      }
    },
  }
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * How long to wait before the attempt after `retries` failed ones: twice as long each time, up to half a minute;
 * `random` (0 to 1) spreads the pages of a hub that restarts.
 */
export const waitMs = (retries: number, random: number): number =>
  Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** retries) * (0.5 + random / 2)
