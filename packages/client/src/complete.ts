/** Completes uploads in batches; one bad file does not block the others. */
import { randomUUID } from 'node:crypto'
import { BATCH, type HubClient } from './hub-client.ts'
import type { MessageOption } from './message-option.ts'
import { failureLine, ProblemError, refusedIndexes } from './problem.ts'
import type { Outgoing } from './push-plan.ts'
import type { RepoName } from './repo-name.ts'
import type { CompletedUpload, RemoteFile } from './shapes.ts'
import type { TransferState } from './state.ts'

/** The hub hashes files before it responds; this many bytes per request stay well within its timeout. */
const BATCH_BYTES = 512 * 1_048_576

export interface SentFile {
  readonly local: Outgoing
  readonly upload: CompletedUpload
}

export interface CompleteOutcome {
  stored(sent: SentFile, entry: RemoteFile): void
  failed(sent: SentFile, error: unknown, why: string): void
}

export interface Completing {
  readonly client: HubClient
  readonly repo: RepoName
  readonly state: TransferState
  /** What is said about each change. */
  readonly said: MessageOption
}

/** A queue that completes uploads one batch at a time; the next batch fills while a request is in flight. */
export function completer({ client, repo, state, said }: Completing, outcome: CompleteOutcome) {
  const waiting: SentFile[] = []
  let worker: Promise<void> | null = null

  async function drain(): Promise<void> {
    // Files that finish in the same turn belong in one request.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await completeBatch({ client, repo, state, said, batch: nextBatch(waiting), outcome })
    worker = null
  }

  return {
    add(sent: SentFile): void {
      waiting.push(sent)
      worker ??= drain()
      worker.catch(() => {})
    },
    /** Resolves when every queued upload has a response; rejects if the client was aborted. */
    async settled(): Promise<void> {
      while (worker !== null) await worker
    },
  }
}

function nextBatch(waiting: SentFile[]): SentFile[] {
  let count = 0
  let bytes = 0
  for (const sent of waiting) {
    if (count > 0 && (count >= BATCH || bytes + sent.local.size > BATCH_BYTES)) break
    count += 1
    bytes += sent.local.size
  }
  return waiting.splice(0, count)
}

/**
 * One request. If the hub rejects some files, those fail and the rest is retried; if it does not say which, the batch
 * is split in half. A replay under `key` returns the first attempt's response, even if this process was killed in
 * between.
 */
export async function completeBatch({
  client,
  repo,
  state,
  said,
  batch,
  outcome,
  key = randomUUID(),
}: Completing & {
  readonly batch: readonly SentFile[]
  readonly outcome: CompleteOutcome
  readonly key?: string
}): Promise<void> {
  const uploads = batch.map((sent) => sent.upload)
  state.rememberCompleting({ key, uploads, digests: batch.map((sent) => sent.local.sha256), ...said })
  try {
    const entries = new Map((await client.complete(repo, uploads, key, said)).map((entry) => [entry.path, entry]))
    state.rememberCompleted(key)
    for (const sent of batch) {
      const entry = entries.get(sent.local.path)
      if (entry === undefined) outcome.failed(sent, null, 'the hub completed the upload but did not list the file')
      else outcome.stored(sent, entry)
    }
  } catch (error) {
    client.signal.throwIfAborted()
    if (error instanceof ProblemError && error.status < 500) state.rememberCompleted(key)
    const parts = split(batch, error, outcome)
    for (const part of parts) await completeBatch({ client, repo, state, said, batch: part, outcome })
  }
}

/** Splits a failed batch into the parts worth retrying. */
function split(batch: readonly SentFile[], error: unknown, outcome: CompleteOutcome): Array<readonly SentFile[]> {
  const aboutFiles = error instanceof ProblemError && [404, 409, 412, 413, 422].includes(error.status)
  const refused = aboutFiles ? refusedIndexes(error, 'uploads', batch.length) : new Map<number, string>()
  if (!aboutFiles || batch.length === 1) {
    for (const [index, sent] of batch.entries()) outcome.failed(sent, error, refused.get(index) ?? failureLine(error))
    return []
  }
  if (refused.size === 0) {
    const half = Math.ceil(batch.length / 2)
    return [batch.slice(0, half), batch.slice(half)]
  }
  for (const [index, why] of refused) {
    const sent = batch[index]
    if (sent) outcome.failed(sent, error, why)
  }
  const rest = batch.filter((_, index) => !refused.has(index))
  return rest.length === 0 ? [] : [rest]
}
