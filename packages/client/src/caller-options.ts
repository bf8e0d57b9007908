import type { RetryPolicy } from './retry.ts'

export interface HubClientOptions {
  /** Base URL of the hub, without `/v1`. */
  readonly url: string
  /** Null for anonymous access to public repos. */
  readonly token: string | null
  readonly retry?: RetryPolicy
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal
}
