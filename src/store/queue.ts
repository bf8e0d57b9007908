/** Background work as seen by verbs: jobs are named in `src/jobs/`, and are sent inside the transaction that makes them necessary. */
import type { Tx } from './db.ts'

export interface Queue {
  /** Enqueues in the caller's transaction: the job exists exactly when the transaction commits. `singletonKey` folds equal waiting jobs into one. */
  send(tx: Tx, job: string, input: object, options?: { singletonKey?: string }): Promise<void>
  stop(): Promise<void>
}
