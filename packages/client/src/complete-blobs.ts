/** Has the hub check contents whose parts are sent, in batches; one bad content does not block the others. */

import type { Content } from './contents.ts'
import { failureLine, ProblemError, refusedIndexes } from './problem.ts'
import type { Sending } from './sending.ts'
import type { CompletedBlob } from './shapes.ts'
import { BATCH, COMPLETION_BYTES } from './upload-parts.ts'

interface SentContent {
  readonly content: Content
  readonly upload: CompletedBlob
}

interface CompleteOutcome {
  stored(content: Content): void
  failed(content: Content, why: string, error: unknown): void
}

type Completing = Pick<Sending, 'client' | 'repo'>

/** A queue that completes uploads one batch at a time; the next batch fills while a request is in flight. */
export function completer(completing: Completing, outcome: CompleteOutcome) {
  const waiting: SentContent[] = []
  let worker: Promise<void> | null = null

  async function drain(): Promise<void> {
    // Contents that finish in the same turn belong in one request.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await completeBatch(completing, nextBatch(waiting), outcome)
    worker = null
  }

  return {
    add(sent: SentContent): void {
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

function nextBatch(waiting: SentContent[]): SentContent[] {
  let count = 0
  let bytes = 0
  for (const { content } of waiting) {
    if (count > 0 && (count >= BATCH || bytes + content.size > COMPLETION_BYTES)) break
    count += 1
    bytes += content.size
  }
  return waiting.splice(0, count)
}

/**
 * One request. If the hub rejects some contents, those fail and the rest is retried; if it does not say which, the
 * batch is split in half.
 */
async function completeBatch(
  completing: Completing,
  batch: readonly SentContent[],
  outcome: CompleteOutcome,
): Promise<void> {
  const { client, repo } = completing
  try {
    await client.completeBlobs(
      repo,
      batch.map(({ upload }) => upload),
    )
    for (const { content } of batch) outcome.stored(content)
  } catch (error) {
    client.signal.throwIfAborted()
    for (const part of split(batch, error, outcome)) await completeBatch(completing, part, outcome)
  }
}

/** Splits a failed batch into the parts worth retrying. */
function split(batch: readonly SentContent[], error: unknown, outcome: CompleteOutcome): Array<readonly SentContent[]> {
  const isAboutSome = error instanceof ProblemError && [404, 409, 413, 422].includes(error.status)
  const refused = isAboutSome ? refusedIndexes(error, 'uploads', batch.length) : new Map<number, string>()
  if (!isAboutSome || batch.length === 1) {
    for (const [index, { content }] of batch.entries())
      outcome.failed(content, refused.get(index) ?? failureLine(error), error)
    return []
  }
  if (refused.size === 0) {
    const half = Math.ceil(batch.length / 2)
    return [batch.slice(0, half), batch.slice(half)]
  }
  for (const [index, why] of refused) {
    const sent = batch[index]
    if (sent) outcome.failed(sent.content, why, error)
  }
  const rest = batch.filter((_, index) => !refused.has(index))
  return rest.length === 0 ? [] : [rest]
}
