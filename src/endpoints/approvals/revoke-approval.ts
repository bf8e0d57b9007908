/** revokeApproval: ends an approval and its open sessions. Contract, "Approvals". */
import { assertSession } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { param, statement } from '../../store/statement.ts'
import { lockEndpoint } from '../endpoint-row.ts'
import { closeSessions } from '../sessions/close-sessions.ts'
import { type Approval, findApproval, lockApproval, readApproval } from './approval-row.ts'
import { approvalEnded, nextApproval } from './approval-state.ts'

const revokeRow = statement({
  name: 'approval-revoke',
  params: { approvalId: param.text(), revokedBy: param.text() },
  text: `update approvals set status = 'revoked', revoked_by = :revokedBy, revoked_at = now() where id = :approvalId`,
})

/**
 * Revokes an approval forever and closes its open sessions; idempotent. Any person who sees the endpoint or the device
 * may. Errors: 401, 403 for any key, 404, 409 `conflict.terminal` one that has expired.
 */
export function revokeApproval(ctx: RequestContext, input: { readonly approvalId: string }): Promise<Approval> {
  return guarded(
    ctx,
    async () => ({
      personId: assertSession(ctx.viewer).personId,
      approval: await findApproval(ctx, input.approvalId),
    }),
    (allowed, { personId, approval }) => revoke(allowed, personId, approval),
  )
}

function revoke(ctx: AllowedContext, personId: string, { id, endpointId }: Approval): Promise<Approval> {
  return commitVerb(ctx, async (tx) => {
    const endpoint = await lockEndpoint(tx, endpointId)
    const approval = await lockApproval(tx, id)
    if (!approval) throw notFound(`The approval ${id}`)
    if (nextApproval('revoke', approval) === null) throw approvalEnded()
    if (approval.status === 'revoked') return readApproval(tx, ctx.viewer, id)
    await tx.query(revokeRow, { approvalId: id, revokedBy: personId })
    const closedSessions = await closeSessions(tx, { endpointId, approvalId: id, reason: 'revoked' })
    await audit(tx, ctx, {
      action: 'endpoint.approval_revoke',
      accountId: endpoint.ownerId,
      targetId: endpointId,
      before: { status: approval.status },
      after: { approvalId: id, deviceId: approval.deviceId, closedSessions },
    })
    tx.afterCommit(() => ctx.deps.events.hint(endpointId))
    return readApproval(tx, ctx.viewer, id)
  })
}
