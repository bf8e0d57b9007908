/** Completions of an earlier push whose response was lost. */
import { type CompleteOutcome, completeBatch, type SentFile } from './complete.ts'
import type { HubClient } from './hub-client.ts'
import type { Progress } from './progress.ts'
import type { Outgoing } from './push-plan.ts'
import type { RepoName } from './repo-name.ts'
import type { TransferState } from './state.ts'

interface Replaying {
  readonly client: HubClient
  readonly repo: RepoName
  readonly state: TransferState
  readonly progress: Progress
}

/**
 * Replays completions whose response an earlier push never received, under their original key, if all their files are
 * still to be sent unchanged. Files that are not stored after that are sent normally.
 */
export async function replayUnanswered(
  sending: Replaying,
  files: readonly Outgoing[],
  outcome: CompleteOutcome,
): Promise<Outgoing[]> {
  const left = new Map(files.map((file) => [file.path, file]))
  for (const open of sending.state.openCompletions()) {
    const batch: SentFile[] = []
    for (const [index, upload] of open.uploads.entries()) {
      const local = left.get(upload.path)
      if (local !== undefined && local.sha256 === open.digests[index]) batch.push({ local, upload })
    }
    if (batch.length !== open.uploads.length) continue
    await completeBatch({
      client: sending.client,
      repo: sending.repo,
      state: sending.state,
      // The request is repeated as it was, or the hub would take it for another one.
      said: { message: open.message },
      batch,
      outcome: {
        stored(sent, entry) {
          left.delete(sent.local.path)
          sending.progress.bytes(sent.local.size, 'known')
          outcome.stored(sent, entry)
        },
        failed() {},
      },
      key: open.key,
    })
  }
  return [...left.values()]
}
