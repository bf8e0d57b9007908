/** What the server asks of a hub, and what it reads of an endpoint. Spec, "Inference endpoint". */
import type { SessionState } from './links/session-book.ts'

export interface ServedEndpoint {
  readonly id: string
  readonly status: string
  readonly executor: string
  readonly model_repo: { readonly full_name: string }
  readonly artifact: { readonly kind: string; readonly path: string; readonly policy_format: string | null }
  readonly model_sha256: string
  readonly contract_fingerprint: string | null
  readonly control_class: string
  readonly url: string | null
  readonly stop_requested_at: string | null
  readonly error: string | null
}

/** The answer to a report. */
export interface ReportedEndpoint extends ServedEndpoint {
  /** Sessions that are closed, whatever this server thinks. */
  readonly closed_sessions: readonly string[]
}

export interface EndpointReport {
  readonly status: 'running' | 'stopped' | 'failed'
  readonly sessions: readonly SessionState[]
  readonly error?: string
  readonly log_chunk?: string
}

export interface EndpointHub {
  get(endpoint: string): Promise<ServedEndpoint>
  /** Pages of those that wait for a server, newest first. */
  queued(): AsyncIterable<readonly ServedEndpoint[]>
  /** A repeat under the same key answers the same claim while it lasts. */
  claim(
    endpoint: string,
    claim: { readonly worker: string; readonly url: string; readonly model_sha256: string },
    key: string,
  ): Promise<ServedEndpoint>
  report(endpoint: string, report: EndpointReport, signal?: AbortSignal): Promise<ReportedEndpoint>
}
