/**
 * Filing a spend hold: the request of an agent's key waits for a person, and nothing of its job is recorded. Spec,
 * "Spend hold".
 */

import { newId } from '@hub/formats/ids'
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { requireCredential } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { findHold } from './get-hold.ts'
import type { HeldKind, SpendHold } from './hold-shape.ts'

/** A request that only the agent's limit refuses. */
export interface HeldRequest {
  readonly kind: HeldKind
  /** The account that would be billed. */
  readonly accountId: string
  /** The request as it was sent, with the member names of `/v1`. */
  readonly request: Readonly<Record<string, unknown>>
  /** One sentence for the person who decides. */
  readonly summary: string
  /** The expected cost of the job. */
  readonly estimateUsd: Usd
  /** The most that the job can cost, and the most that its approval reserves. */
  readonly reserveUsd: Usd
  /** The part of the cost that the free allowance would have covered. */
  readonly allowanceUsd: Usd
}

/**
 * The most pending holds of one key on one account. A person decides each of them, so more would be the noise of a
 * faulty loop.
 */
export const MAX_PENDING_HOLDS = 100

const pendingColumns = columns({
  pending: column.int4('count(*)::int'),
  /** Seconds until the oldest expires. */
  roomInS: column.float8.orNull('extract(epoch from min(u.expires_at) - now())::float8'),
})
const pendingOfKey = statement({
  name: 'spend-holds-pending',
  exact: 'aggregate',
  columns: pendingColumns,
  params: { accountId: param.text(), keyId: param.text() },
  text: `select ${pendingColumns.sql} from spend_holds u
    where u.account_id = :accountId and u.status = 'pending' and u.filed_by = :keyId and u.expires_at > now()`,
})

const spendHoldRow = insertInto('spend_holds', {
  id: param.text(),
  status: 'pending',
  kind: param.enum('SpendHoldKind'),
  accountId: param.text(),
  filedBy: param.text(),
  filedByName: param.text(),
  createdBy: param.text.orNull(),
  /** JSON. */
  request: param.json(),
  summary: param.text(),
  estimateUsd: param.numeric<Usd>(),
  reserveUsd: param.numeric<Usd>(),
  allowanceUsd: param.numeric<Usd>(),
  expiresAt: sql('now() + make_interval(secs => :ttlSeconds)', { ttlSeconds: param.float8() }),
})

const insertHold = statement({
  name: 'spend-hold-insert',
  params: spendHoldRow.params,
  text: spendHoldRow.sql,
})

/**
 * Files the hold of the caller's key, in the transaction that would have created the job; 429 `quota.spend_holds` if
 * the key has too many pending holds.
 */
export async function fileHold(ctx: RequestContext, tx: Tx, held: HeldRequest): Promise<SpendHold> {
  const viewer = requireCredential(ctx.viewer)
  const { credentialId: keyId, personId, name } = viewer
  await lockAccounts(tx, [held.accountId])
  const [found] = await tx.query(pendingOfKey, { accountId: held.accountId, keyId })
  if (found && found.pending >= MAX_PENDING_HOLDS) throw tooMany(found.pending, found.roomInS ?? 0)
  const id = newId('spend')
  await tx.query(insertHold, {
    ...held,
    id,
    request: JSON.stringify(held.request),
    filedBy: keyId,
    filedByName: name ?? keyId,
    createdBy: personId,
    ttlSeconds: ctx.deps.config.spendHoldTtlSeconds,
  })
  const { accountId, kind, reserveUsd } = held
  await audit(tx, ctx, { action: 'spend.file', accountId, targetId: id, after: { kind, reserveUsd } })
  tx.afterCommit(() => ctx.deps.events.hint(id))
  return findHold(tx, viewer, id)
}

function tooMany(pending: number, roomInS: number): HubError {
  const detail = `The key has ${MAX_PENDING_HOLDS} pending spend holds on this account, and may have no more; cancel some, or ask a person to decide.`
  const facts = { limit: MAX_PENDING_HOLDS, used: pending, retryAfterS: roomInS }
  return new HubError('quota.spend_holds', detail, { facts })
}
