/** Has the bytes of a push at the hub before a commit names them: those that it lacks are sent. */
import { setImmediate as turn } from 'node:timers/promises'
import pLimit from 'p-limit'
import { completer } from './complete-blobs.ts'
import { type Content, contentsOf } from './contents.ts'
import { failureLine, ProblemError } from './problem.ts'
import type { FileAhead, PushTally } from './push-tally.ts'
import type { Sending } from './sending.ts'
import { storeSmall } from './store-small.ts'
import { presign, sendContent, type Upload } from './upload.ts'
import { isSmall, presignBatches } from './upload-parts.ts'

/** Presigned batches in flight: enough to keep the slots busy across batch boundaries. */
const BATCHES_AHEAD = 2

/**
 * Sends the contents, small ones first; the tally has what became of each. Rejects with what concerns the whole push.
 * `partSent` is told of each part in the store.
 */
export async function sendAhead(
  sending: Sending,
  contents: readonly Content[],
  tally: PushTally,
  partSent: (bytes: number) => void,
): Promise<void> {
  const { client, repo, state, progress, gate } = sending
  const small = contents.filter(isSmall)
  for (const content of small) if (state.isAhead(content.sha256)) tally.remembered(content)
  await storeSmall(
    sending,
    small.filter((content) => !tally.hasEnded(content)),
    tally,
  )
  const ended: Failure[] = []
  const done = completer(sending, {
    stored: tally.stored,
    failed: (content, why, error) => {
      if (hasEndedUpload(error)) ended.push({ content, why, error })
      else tally.failed(content, why, error)
    },
  })
  const slot = pLimit(sending.jobs)
  const upload: Upload = { client, repo, state, progress, slot, gate, stored: partSent, failed: tally.failed }
  const ahead = pLimit(BATCHES_AHEAD)
  const large = contents.filter((content) => !isSmall(content))
  const batches = [...presignBatches(large)].map((batch) =>
    ahead(async () => {
      client.signal.throwIfAborted()
      const targets = await presign(upload, batch)
      await Promise.all(
        targets.map(async ([content, live]) => {
          if (live === null) return tally.known(content)
          try {
            done.add({ content, upload: await sendContent(upload, content, live) })
          } catch (error) {
            if (client.signal.aborted) throw client.signal.reason
            tally.failed(content, failureLine(error), error)
          }
        }),
      )
    }),
  )
  const results = await Promise.allSettled(batches)
  await turn()
  await done.settled().catch((error: unknown) => results.push({ status: 'rejected', reason: error }))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  await settleEnded(upload, ended, tally)
}

/**
 * Sends small contents that the hub had stored at an earlier push and has no more. Returns the files that a commit can
 * name by now. What else is remembered of earlier pushes is as doubtful, and forgotten.
 */
export async function sendAgain(
  sending: Sending,
  files: readonly FileAhead[],
  tally: PushTally,
): Promise<readonly FileAhead[]> {
  const lost = files.filter(({ from }) => from === 'memory').map(({ local }) => local)
  sending.state.forgetEarlierAhead()
  tally.lost(lost)
  await storeSmall(sending, contentsOf(lost), tally)
  return [...files.filter(({ from }) => from !== 'memory'), ...tally.takeAhead()]
}

interface Failure {
  readonly content: Content
  readonly why: string
  readonly error: unknown
}

/** Another push of the same content shares its upload, and may have completed it first. */
const hasEndedUpload = (error: unknown) =>
  error instanceof ProblemError && error.entries.some(({ type }) => type === 'conflict.terminal')

/** Of contents whose upload has ended, those that the hub has by now are stored; the others fail. */
async function settleEnded(upload: Upload, ended: readonly Failure[], tally: PushTally): Promise<void> {
  const whys = new Map(ended.map((failure) => [failure.content, failure]))
  for (const batch of presignBatches([...whys.keys()]))
    for (const [content, live] of await presign(upload, batch)) {
      const failure = whys.get(content)
      if (live === null) tally.stored(content)
      else if (failure) tally.failed(content, failure.why, failure.error)
    }
}
