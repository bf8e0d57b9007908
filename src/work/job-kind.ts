import type { IdPrefix } from '@hub/formats/ids'
import { Signal } from '../platform/signals.ts'

/**
 * A kind of job in the kernel: work that is queued, claimed by one compare-and-set, reported with fencing and ended.
 * Its table has `id`, `owner_id`, `filed_by`, `status` (`queued`, `running` and its ends), `executor`, `attempt`,
 * `claimed_by`, `claim_credential`, `claimed_at`, `started_at`, `heartbeat_at`, `hosted_call_id`, `hosted_credential`,
 * `dispatched_at`, `cancel_requested_at`, `stop_reason`, `finished_at`, `error`, `cost_usd`, `created_by`, `created_at`
 * and `updated_at`.
 */
export interface JobKind {
  /** Name of the kind in statement names, audit actions and the ledger: `robot_check`. */
  readonly name: string
  /** Name of a job in messages: `check`. */
  readonly noun: string
  /** The prefix of the jobs' ids, before the underscore. */
  readonly idPrefix: IdPrefix
  readonly table: string
  /** The enum of its `status`. */
  readonly statusType: 'JobStatus' | 'EndpointStatus'
  /** SQL condition: the repos of the job `alias` make it visible to a key limited to `:repoIds`. */
  readonly listedSql: (alias: string) => string
  /** Null: a claim lasts until the job ends. */
  readonly lease: JobLease | null
}

/** A claim that ends when its holder does not report; the table also has `lease_expires_at`. */
export interface JobLease {
  /** SQL condition: the credential at `place` is not barred from the job `alias` after losing its lease. */
  readonly notBarredSql: (alias: string, place: string) => string
  /** SQL condition: the job `alias` lost its lease after its hosted call was recorded, so it waits for another call. */
  readonly lostSinceDispatchSql: (alias: string) => string
  /**
   * SQL condition: any worker may claim the queued job `alias`; false for a job that waits for the process that started
   * it.
   */
  readonly forAnyWorkerSql: (alias: string) => string
}

/** Sent for what is made for each descriptor; watched where all statements are listed. */
export const memoized = new Signal<{ readonly make: (of: never) => unknown }>('hub:memoized')

/** Creates a value once per descriptor and caches it: mostly statements. */
export function memoizeByKey<Descriptor extends object, T>(make: (of: Descriptor) => T): (of: Descriptor) => T {
  if (memoized.isWatched) memoized.send({ make: make as (of: never) => unknown })
  const made = new WeakMap<Descriptor, { readonly value: T }>()
  return (of) => {
    const kept = made.get(of) ?? { value: make(of) }
    made.set(of, kept)
    return kept.value
  }
}
