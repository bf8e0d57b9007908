import type { IdPrefix } from '../platform/ids.ts'

/**
 * A kind of job in the kernel: work that is queued, claimed by one compare-and-set, reported with fencing and ended. Its table has `id`, `owner_id`,
 * `filed_by`, `status` (`queued`, `running` and its ends), `executor`, `attempt`, `claimed_by`, `claim_credential`, `claimed_at`, `started_at`, `heartbeat_at`,
 * `hosted_call_id`, `hosted_credential`, `dispatched_at`, `cancel_requested_at`, `stop_reason`, `finished_at`, `error`, `cost_usd`, `created_by`,
 * `created_at` and
 * `updated_at`.
 */
export interface JobKind {
  /** In names of statements, audit actions and the ledger: `robot_check`. */
  readonly name: string
  /** In sentences: `check`. */
  readonly noun: string
  /** The prefix of its jobs' ids, before an underscore. */
  readonly idPrefix: IdPrefix
  readonly table: string
  /** Whether a key limited to `:repoIds` sees the job `alias` for the repos that it names. */
  readonly listedSql: (alias: string) => string
  /** Null: a claim lasts until the job ends. */
  readonly lease: JobLease | null
}

/** A claim that ends when its holder does not report; the table also has `lease_expires_at`. */
export interface JobLease {
  /** Whether the credential at `place` may claim the job `alias`, of which it may have lost a lease just now. */
  readonly notBarredSql: (alias: string, place: string) => string
  /** Whether a lease of the job `alias` ran out since its hosted call was recorded: it then waits for another call. */
  readonly lostSinceDispatchSql: (alias: string) => string
  /** Whether the queued job `alias` may go to any worker: not one that waits for the process that lost it. */
  readonly forAnyWorkerSql: (alias: string) => string
}

/** Creates a value once per descriptor and caches it: mostly statements. */
export function memoizeByKey<Descriptor extends object, T>(make: (of: Descriptor) => T): (of: Descriptor) => T {
  const made = new WeakMap<Descriptor, { readonly value: T }>()
  return (of) => {
    const kept = made.get(of) ?? { value: make(of) }
    made.set(of, kept)
    return kept.value
  }
}
