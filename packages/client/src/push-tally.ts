/** What a push has sent, linked and failed to send. */
import type { CompleteOutcome } from './complete.ts'
import { localPath } from './landing.ts'
import type { Progress } from './progress.ts'
import type { Outgoing, PushPlan } from './push-plan.ts'
import type { RemoteFile } from './shapes.ts'
import type { TransferState } from './state.ts'

export interface FailedFile {
  readonly path: string
  readonly why: string
}

/** What became of the files of a push. `cause`: of the first that failed. */
export interface Outcome {
  readonly sent: string[]
  readonly sentBytes: number
  readonly linked: string[]
  readonly linkedBytes: number
  readonly failed: FailedFile[]
  readonly cause: unknown
}

interface Pushing {
  readonly state: TransferState
  readonly progress: Progress
  /** The real path of the folder. */
  readonly root: string
}

/** The bytes of all files. */
export const totalBytes = (files: readonly { readonly size: number }[]) =>
  files.reduce((sum, file) => sum + file.size, 0)

/** What became of each file, remembered for the next push and told to the progress. */
export function pushTally({ state, progress, root }: Pushing) {
  const sent: string[] = []
  const failed: FailedFile[] = []
  const linked: string[] = []
  let sentBytes = 0
  let linkedBytes = 0
  let cause: unknown = null
  const remember = (local: Outgoing, entry: RemoteFile) => {
    state.rememberStored(entry, local.sha256)
    state.rememberSynced(localPath(root, local.path), local.path, local.sha256)
  }
  const fail = (local: Outgoing, why: string, error: unknown) => {
    failed.push({ path: local.path, why })
    cause ??= error
  }
  const complete: CompleteOutcome = {
    stored({ local }, entry) {
      remember(local, entry)
      sent.push(local.path)
      sentBytes += local.size
      progress.file(local.path)
    },
    failed: ({ local }, error, why) => fail(local, why, error),
  }
  return {
    complete,
    fail,
    linked(local: Outgoing, entry: RemoteFile) {
      remember(local, entry)
      linked.push(local.path)
      linkedBytes += local.size
      progress.bytes(local.size, 'known')
      progress.file(local.path, 'known')
    },
    sentBytes: () => sentBytes,
    /** How far an interrupted push came. */
    reached: (plan: PushPlan) => ({
      files: sent.length + linked.length,
      bytes: sentBytes + linkedBytes,
      ofFiles: plan.send.length,
      ofBytes: totalBytes(plan.send),
    }),
    outcome(): Outcome {
      // Files end in any order; a report that is compared with another should not.
      failed.sort((a, b) => (a.path < b.path ? -1 : 1))
      return { sent: sent.sort(), sentBytes, linked: linked.sort(), linkedBytes, failed, cause }
    },
  }
}
