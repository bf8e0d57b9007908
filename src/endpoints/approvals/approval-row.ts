/** An approval as verbs that move it see it, and as the graph shows it. Lock order: endpoints, approvals, sessions. */

import { isId } from '@hub/formats/ids'
import { readAccount } from '../../auth/account-json.ts'
import { deviceVisibleSql } from '../../auth/device-policy.ts'
import { billedViewer, billedVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const account = (alias: string) =>
  `json_build_object('id', ${alias}.id, 'kind', ${alias}.kind, 'handle', ${alias}.handle, 'name', ${alias}.name)`

/** Of `approvalTables`. */
export const approvalColumns = columns({
  id: column.text('p.id'),
  endpointId: column.text('p.endpoint_id'),
  deviceId: column.text('p.device_id'),
  modelSha256: column.text('p.model_sha256'),
  /** Fingerprint of the map of joints that was in use when it was given. */
  jointMap: column.text.orNull('p.joint_map'),
  status: column.enum('ApprovalStatus', 'p.status'),
  /** By the database's clock. */
  isOver: column.bool('p.expires_at <= now()'),
  expiresAt: column.timestamptz('p.expires_at'),
  createdAt: column.timestamptz('p.created_at'),
  revokedAt: column.timestamptz.orNull('p.revoked_at'),
  mintedBy: column.json(account('m'), readAccount),
  revokedBy: column.json.orNull(`case when r.id is not null then ${account('r')} end`, readAccount),
})

export const approvalTables =
  'approvals p join accounts m on m.id = p.minted_by left join accounts r on r.id = p.revoked_by'

export type Approval = RowOf<typeof approvalColumns>

/** A viewer of the endpoint or of the device sees the approval: both can be harmed by it. */
const approvalsById = statement({
  name: 'approvals-by-id',
  exact: 'database-clock',
  columns: approvalColumns,
  params: { ...billedViewer, ids: param.texts() },
  text: `select ${approvalColumns.sql} from ${approvalTables} join endpoints u on u.id = p.endpoint_id
    join devices d on d.id = p.device_id
    where p.id = any(:ids::text[]) and (${billedVisibleSql('u')} or ${deviceVisibleSql('d')})`,
})

/** Approvals by id in the order asked, null where invisible; one statement for any number. */
export async function getApprovalsById(
  querier: Querier,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(Approval | null)[]> {
  const asked = ids.filter((id) => isId('appr', id))
  const rows = asked.length === 0 ? [] : await querier.query(approvalsById, { ...visibleRuns(viewer), ids: asked })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** The approval as it is in a verb's transaction; 404 where the caller sees neither its endpoint nor its device. */
export async function readApproval(querier: Querier, viewer: Viewer, id: string): Promise<Approval> {
  const [approval] = await getApprovalsById(querier, viewer, [id])
  if (!approval) throw notFound(`The approval ${id.slice(0, 64)}`)
  return approval
}

/** The approval that a verb is about; 404 likewise. */
export function findApproval(ctx: RequestContext, id: string): Promise<Approval> {
  return readApproval(ctx.deps.db, ctx.viewer, id)
}

/** Whether the person who approved is of the account still; one who has left it approves nothing in its name. */
const isOf = (ownerId: string) => `(${ownerId} = p.minted_by
  or exists (select from memberships m where m.org_id = ${ownerId} and m.user_id = p.minted_by))`

const heldColumns = columns({
  id: column.text('p.id'),
  endpointId: column.text('p.endpoint_id'),
  deviceId: column.text('p.device_id'),
  modelSha256: column.text('p.model_sha256'),
  /** Fingerprint of the map of joints that was in use when it was given. */
  jointMap: column.text.orNull('p.joint_map'),
  status: column.enum('ApprovalStatus', 'p.status'),
  expiresAt: column.timestamptz('p.expires_at'),
  isOver: column.bool('p.expires_at <= now()'),
  isMinterOfBoth: column.bool(`${isOf('u.owner_id')} and ${isOf('d.owner_id')}`),
  /** The operator keeps the person out who approved. */
  isMinterDisabled: column.bool('(select m.disabled_at is not null from accounts m where m.id = p.minted_by)'),
  isTokenOver: column.bool('coalesce(to_timestamp(:expires) <= now(), false)'),
  /** Read from the key's row, so that a withdrawal counts at once on every instance. */
  isKeyValid: column.bool('exists (select from signing_keys k where k.kid = :kid and k.withdrawn_at is null)'),
})

/** An approval under the lock of its row. */
export type HeldApproval = RowOf<typeof heldColumns>

const lockById = statement({
  name: 'approval-lock',
  columns: heldColumns,
  params: { approvalId: param.text(), kid: param.text.orNull(), expires: param.float8.orNull() },
  text: `select ${heldColumns.sql} from approvals p join endpoints u on u.id = p.endpoint_id
    join devices d on d.id = p.device_id
    where p.id = :approvalId for update of p`,
})

/** Of a token: its key, and its expiry in seconds since 1970. */
interface TokenFacts {
  readonly kid: string | null
  readonly expires: number | null
}

/**
 * Locks the approval's row until the transaction ends; its endpoint's row is locked before. Null when there is none.
 */
export async function lockApproval(
  tx: Querier,
  approvalId: string,
  { kid, expires }: TokenFacts = { kid: null, expires: null },
): Promise<HeldApproval | null> {
  const [approval] = await tx.query(lockById, { approvalId, kid, expires })
  return approval ?? null
}
