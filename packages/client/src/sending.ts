/** What the parts of a push share. */
import type { ByteGate } from './byte-gate.ts'
import type { HubClient } from './hub-client.ts'
import type { MessageOption } from './message-option.ts'
import type { Progress } from './progress.ts'
import type { RepoName } from './repo-name.ts'
import type { SmallFiles } from './small-files.ts'
import type { TransferState } from './state.ts'

export interface Sending {
  readonly client: HubClient
  readonly repo: RepoName
  readonly state: TransferState
  /** Has the bytes of small files that were read for their digests. */
  readonly small: SmallFiles
  readonly progress: Progress
  /** Maximum concurrent requests to the store, and hashes. */
  readonly jobs: number
  /** The real path of the folder. */
  readonly root: string
  readonly said: MessageOption & {
    readonly runId?: string | undefined
    readonly onRunRefused?: ((why: string) => void) | undefined
  }
  /**
   * What is known of the hub: an older one takes no archives of contents, and no run of a commit; any one refuses a run
   * that is gone, or of a repo that is not a model.
   */
  readonly hub: { takesArchives: boolean; takesRun: boolean }
  /** Limits the bytes that are being sent: what a kill loses. */
  readonly gate: ByteGate
}
