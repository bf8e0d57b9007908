/**
 * The background jobs by name, with the input of each: verbs enqueue them, and `src/jobs/` works on them. An input is
 * JSON and names rows, since they may change meanwhile.
 */
export interface QueuedJobs {
  readonly 'bodies-collect': NoInput
  readonly 'bodies-read': NoInput
  readonly 'blob-verify': { readonly blobId: string }
  readonly 'check-objects-collect': NoInput
  readonly 'dataset-checks-file': NoInput
  readonly 'facets-fold': NoInput
  readonly 'storage-spares': NoInput
  readonly 'files-collect': NoInput
  readonly 'files-unpin': { readonly repoIds: readonly string[] }
  readonly 'hosted-dispatch': { readonly jobId: string }
  readonly 'hosted-sweep': NoInput
  readonly 'metrics-archive': NoInput
  readonly 'log-retention': NoInput
  readonly 'audit-retention': NoInput
  readonly 'objects-delete': NoInput
  readonly 'readmes-read': NoInput
  readonly 'repo-purge': { readonly repoId: string }
  readonly 'run-metrics-file': { readonly runId: string }
  readonly 'run-objects-collect': NoInput
  readonly 'run-purge': { readonly runId: string }
  readonly 'run-summaries': NoInput
  readonly 'store-uploads-collect': NoInput
}

export type QueuedJobName = keyof QueuedJobs

/** Of a job that looks for its work itself. */
export type NoInput = Readonly<Record<string, never>>
