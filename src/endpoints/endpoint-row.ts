/**
 * An endpoint as verbs that move it see it: what decides, under the lock of its row. Lock order: repos, endpoints,
 * sessions, holds, accounts.
 */

import { isId } from '@hub/formats/ids'
import { billedViewer, billedVisibleSql, visibleRuns } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Usd } from '../platform/money.ts'
import { column, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { heldJobColumns, isClaimer, isOwnKey, type JobActor } from '../work/held-job.ts'
import { refused } from '../work/job-state.ts'
import {
  deadlineSqlOf,
  graceOverSqlOf,
  isAskedAgo,
  isAskedAgoSql,
  isGraceOver,
  isSilent,
  isSilentSql,
} from '../work/limits.ts'
import { decideEndpoint, type EndpointStatus, type EndpointTrigger } from './endpoint-state.ts'

/** When the `max_hours` of a running endpoint are used up; null without a cap. */
export const deadlineSql = deadlineSqlOf('u.max_hours * 3600')

/** What the endpoint `u` has reserved: its bill is never above it. */
export const reservedSql = '(select r.amount_usd from spend_reservations r where r.job_id = u.id)'

export const rowColumns = heldJobColumns.with({
  status: column.enum('EndpointStatus', 'u.status'),
  executor: column.enum('RunExecutor', 'u.executor'),
  modelRepoId: column.text('u.model_repo_id'),
  modelSha256: column.text('u.model_sha256'),
  contractFingerprint: column.text.orNull('u.contract_fingerprint'),
  url: column.text.orNull('u.url'),
  tier: column.text('u.tier'),
  priced: column.bool('u.priced'),
  rateUsdPerHour: column.numeric.orNull<Usd>('u.rate_usd_per_hour'),
  budgetUsd: column.numeric.orNull<Usd>('u.budget_usd'),
  maxHours: column.float8.orNull('u.max_hours::float8'),
  deadlineAt: column.timestamptz.orNull(deadlineSql),
  sessionsOpen: column.int4('u.sessions_open'),
  /** Of all sessions, as PostgreSQL's numeric writes it. */
  gpuSeconds: column.numeric('u.gpu_seconds'),
  /** What it may cost at most, as reserved; null: nothing is. */
  reservedUsd: column.numeric.orNull<Usd>(reservedSql),
  stopReason: column.text.orNull('u.stop_reason'),
  heartbeatAt: column.timestamptz.orNull('u.heartbeat_at'),
  finishedAt: column.timestamptz.orNull('u.finished_at'),
  /** The database's clock, which decides everything about time. */
  now: column.timestamptz('now()'),
})

export type HeldEndpoint = RowOf<typeof rowColumns>

const visibleById = statement({
  name: 'endpoint-facts-visible',
  exact: 'each-request',
  columns: rowColumns,
  params: { ...billedViewer, endpointId: param.text() },
  text: `select ${rowColumns.sql} from endpoints u where u.id = :endpointId and ${billedVisibleSql('u')}`,
})

const lockById = statement({
  name: 'endpoint-lock',
  columns: rowColumns,
  params: { id: param.text() },
  text: `select ${rowColumns.sql} from endpoints u where u.id = :id for update`,
})

/** The endpoint that a verb is about; 404 where the caller may not see it. */
export async function findEndpoint(ctx: RequestContext, id: string): Promise<HeldEndpoint> {
  const values = { ...visibleRuns(ctx.viewer), endpointId: id }
  const [endpoint] = isId('ep', id) ? await ctx.deps.db.query(visibleById, values) : []
  if (!endpoint) throw notFound(`The endpoint ${id.slice(0, 64)}`)
  return endpoint
}

/** Locks the endpoint's row until the transaction ends, and reads it as it then is. */
export async function lockEndpoint(tx: Querier, id: string): Promise<HeldEndpoint> {
  const [endpoint] = await tx.query(lockById, { id })
  if (!endpoint) throw notFound(`The endpoint ${id}`)
  return endpoint
}

/** Reasons other than `max_hours` for which the hub itself ends an endpoint that does not stop in time. */
const ownReasons = ['budget', 'spend_cap']

/**
 * Of the endpoint `u`: whether the time that its server had to stop is over. A limit gives it a minute, and so does a
 * stop by hand where the hub can end the server itself, which is hosted. A stop by hand waits for the server of a
 * worker, unless that has been silent for a minute as well: it is dead, and would keep the endpoint and its model repo
 * forever.
 */
export const graceOverSql = `(${graceOverSqlOf(deadlineSql)}
  or ${isAskedAgoSql} and (u.stop_reason in (${ownReasons.map((reason) => `'${reason}'`).join(', ')})
    or u.executor = 'hosted' or ${isSilentSql}))`

/** The same of a row. */
export function isStopOverdue(endpoint: HeldEndpoint): boolean {
  const isOwn = endpoint.executor === 'hosted' || ownReasons.includes(endpoint.stopReason ?? '')
  return isGraceOver(endpoint) || (isAskedAgo(endpoint) && (isOwn || isSilent(endpoint)))
}

/** Where the table leads; throws its refusal, which names the holder of an endpoint that is held. */
export function nextStatus(trigger: EndpointTrigger, endpoint: HeldEndpoint, actor: JobActor): EndpointStatus {
  const facts = {
    ...endpoint,
    isClaimer: isClaimer(endpoint, actor),
    isOwnKey: isOwnKey(endpoint, actor),
    graceOver: isStopOverdue(endpoint),
  }
  const verdict = decideEndpoint(trigger, facts)
  if ('to' in verdict) return verdict.to
  throw refused(endpoint, verdict.refusal)
}
