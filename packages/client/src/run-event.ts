/** One event of a run's log (spec, streamRunLogs). */
export type RunEvent =
  | { readonly kind: 'log'; readonly id: string; readonly ts: string; readonly stream: string; readonly line: string }
  | { readonly kind: 'metric'; readonly id: string; readonly line: Readonly<Record<string, unknown>> }
  | { readonly kind: 'end'; readonly id: string; readonly status: string }
