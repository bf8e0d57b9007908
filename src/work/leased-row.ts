/**
 * Work on a data set that waits in a row, and that a worker of its owner has for a lease: checks of data sets and films
 * of episodes. What both tables have in common, as SQL for the alias of a row.
 */
import { accountJsonSql, readAccount } from '../auth/account-json.ts'
import { requireCredential } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { column } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import type { Events } from '../store/events.ts'
import { param } from '../store/statement.ts'
import { CANDIDATES } from './claim-next.ts'
import type { JobStatus } from './job-state.ts'

/** A worker reports more often; one that does not for so long has lost the work. */
const LEASE_SECONDS = 120
/** Leases that may end without a report before the work has failed. */
const MAX_LOST = 3

/** Of a row `a` on the repo `r` of the account `o`. */
export const leasedColumns = (a: string) => ({
  repoId: column.text(`${a}.repo_id`),
  repo: column.text("o.handle || '/' || r.slug"),
  seq: column.int4(`${a}.seq`),
  status: column.enum('JobStatus', `${a}.status`),
  attempt: column.int4(`${a}.attempt`),
  worker: column.text.orNull(`${a}.worker`),
  claimCredential: column.text.orNull(`${a}.claim_credential`),
  requestedAt: column.timestamptz(`${a}.requested_at`),
  /** Null for a credential without a person, and for no person at all. Shown by `personFor`. */
  requester: column.json.orNull(accountJsonSql(`${a}.requested_by`), readAccount),
  startedAt: column.timestamptz.orNull(`${a}.started_at`),
  finishedAt: column.timestamptz.orNull(`${a}.finished_at`),
  error: column.text.orNull(`${a}.error`),
})

/** What a worker may take: what waits, and what was leased and not reported in time. */
const claimable = (a: string) => `${a}.status in ('queued', 'running') and (${a}.status = 'queued'
          or ${a}.lease_expires_at <= now() and ${a}.lost + 1 < ${MAX_LOST})`

interface OldestSql {
  readonly table: string
  /** Column that names a row. */
  readonly id: string
  /** A condition for a row `c`, or ''. */
  readonly when: string
  /** Other columns of `next`, and the tables that they come from, or ''. */
  readonly also: string
  readonly from: string
}

/**
 * `with` parts of which `next` has the row that has waited longest, locked, of the accounts of `:ownerIds`. Each
 * account's rows are read in index order: those that its workers have are few.
 */
export const oldestSql = ({ table, id, when, also, from }: OldestSql) => `waiting as materialized (
      select w.${id}, w.requested_at from unnest(:ownerIds::text[]) account(id) cross join lateral (
        select c.${id}, c.requested_at from ${table} c where c.owner_id = account.id and ${claimable('c')}
          and (:repoIds::text[] is null or c.repo_id = any(:repoIds::text[])) ${when && `and ${when}`}
          order by c.requested_at, c.${id} limit ${CANDIDATES}) w
      order by w.requested_at, w.${id} limit ${CANDIDATES}),
    next as (
      select c.${id}${also} from waiting w join ${table} c on c.${id} = any(array[w.${id}]) ${from}
      where ${claimable('c')} order by w.requested_at, w.${id} limit 1 for update of c skip locked)`

export const claimParams = { ownerIds: param.texts(), worker: param.text(), credentialId: param.text() }

const RENEWED = `lease_expires_at = now() + interval '${LEASE_SECONDS} seconds'`

/** Assignments of a claim. */
export const claimedSql = (a: string) => `status = 'running',
      lost = case when ${a}.status = 'running' then ${a}.lost + 1 else 0 end, attempt = ${a}.attempt + 1,
      worker = :worker, claim_credential = :credentialId, ${RENEWED}, started_at = now(), finished_at = null`

/** Assignments of a report, and those of an end. */
export const renewedSql = RENEWED
export const endedSql = 'lost = 0, claim_credential = null, lease_expires_at = null, finished_at = now()'

/** Parameters of `heldSql`. */
export const fenceParams = { attempt: param.int4(), credentialId: param.text() }

/** Whether the credential holds this attempt. */
export const heldSql = (a: string) =>
  `${a}.status = 'running' and ${a}.attempt = :attempt and ${a}.claim_credential = :credentialId`

/** Whether its workers were lost too often, and what it says then. */
export const isLostSql = (a: string) =>
  `${a}.status = 'running' and ${a}.lease_expires_at <= now() and ${a}.lost + 1 >= ${MAX_LOST}`
export const LOST = `Its workers stopped without a report, ${MAX_LOST} times.`

/** What a failure says: the words of the worker, if there are any. */
export const failureOf = (error: string | null | undefined): string => error || 'The worker did not say why.'

/** A row of such work, as far as its lease goes. */
export interface Leased {
  readonly repoId: string
  readonly repo: string
  readonly status: JobStatus
  readonly attempt: number
  readonly worker: string | null
  readonly claimCredential: string | null
  readonly startedAt: string | null
}

/** One kind of such work. */
export interface LeasedKind<Row extends Leased> {
  /** Of events: `episode-films`. */
  readonly topic: string
  /** In messages: `films`. */
  readonly plural: string
  /** In messages: `the film film_…`. */
  readonly nameOf: (row: Row) => string
}

/** Sent when there is something to claim for workers of this owner. */
export const waitingTopic = ({ topic }: Pick<LeasedKind<never>, 'topic'>, ownerId: string) =>
  `${topic}-waiting:${ownerId}`

/** Tells workers of the owner of what waits, and followers of the repo of all else too, after the commit. */
export function announceLeased(
  tx: Tx,
  events: Pick<Events, 'hint'>,
  kind: Pick<LeasedKind<never>, 'topic'>,
  { repoId, ownerId, status }: Pick<Leased, 'repoId' | 'status'> & { readonly ownerId: string },
): void {
  tx.afterCommit(() => {
    if (status === 'queued') events.hint(waitingTopic(kind, ownerId))
    events.hint(repoId)
  })
}

/** 409 unless the caller's credential holds this attempt. */
export function assertHolds<Row extends Leased>(
  ctx: Pick<RequestContext, 'viewer'>,
  { nameOf }: LeasedKind<Row>,
  row: Row,
  attempt: number,
): void {
  const { credentialId } = requireCredential(ctx.viewer)
  if (row.status === 'running' && row.claimCredential === credentialId && row.attempt === attempt) return
  const now =
    row.status === 'running'
      ? `${row.worker} has it since ${row.startedAt}, as attempt ${row.attempt}`
      : `it is ${row.status}`
  const detail = `Attempt ${attempt} of ${nameOf(row)} is no longer yours: ${now}. Claim the next one.`
  throw new HubError('conflict.not_claimer', detail)
}
