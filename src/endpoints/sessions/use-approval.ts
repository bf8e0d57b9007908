/**
 * Whether a token lets a device use an endpoint now. One error for every reason; the reason is for the audit log of the
 * endpoint's owner.
 */
import type { SigningKeys } from '../../auth/signing-keys.ts'
import { HubError } from '../../platform/errors.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type HeldApproval, lockApproval } from '../approvals/approval-row.ts'
import { nextApproval } from '../approvals/approval-state.ts'
import { type ApprovalClaims, readApprovalToken } from '../approvals/approval-token.ts'

/** What the caller showed: claims that one of the hub's keys signed, or why there are none. */
export type ShownApproval =
  | { readonly claims: ApprovalClaims; readonly kid: string }
  | { readonly claims: null; readonly fault: string }

/** 403, the same for every reason. */
export class RefusedApproval extends HubError {
  readonly reason: string

  constructor(reason: string) {
    const detail =
      'The approval token does not let this device use this endpoint now; a person who sees both can approve it on ' +
      "the endpoint's page, or by `hub approve`."
    super('forbidden.approval', detail)
    this.reason = reason
  }
}

/** Reads the token before any row is locked: keys may have to be loaded. */
export async function showsApproval(keys: SigningKeys, token: string | null | undefined): Promise<ShownApproval> {
  const reading = await readApprovalToken(keys, token)
  return 'fault' in reading ? { claims: null, fault: reading.fault } : reading
}

const startApproval = statement({
  name: 'approval-start',
  params: { id: param.text() },
  text: `update approvals set status = 'running' where id = :id and status = 'issued'`,
})

/** Which device wants to use which endpoint. */
interface Use {
  readonly endpointId: string
  readonly deviceId: string
}

/**
 * Locks the approval behind a token and marks it as used. The row decides, and the database's clock: its status, its
 * expiry and that of the token, that the key of the token still verifies, and that the person who approved still
 * belongs to both accounts and is not disabled. Throws `RefusedApproval`.
 */
export async function useApproval(tx: Tx, shown: ShownApproval, use: Use): Promise<HeldApproval> {
  if (shown.claims === null) throw new RefusedApproval(shown.fault)
  const { claims, kid } = shown
  const approval = await lockApproval(tx, claims.jti, { kid, expires: claims.exp })
  if (!approval) throw new RefusedApproval('unknown_approval')
  const reason = refusalOf(approval, claims, use)
  if (reason !== null) throw new RefusedApproval(reason)
  if (approval.status === 'issued') await tx.query(startApproval, { id: approval.id })
  return approval
}

function refusalOf(approval: HeldApproval, claims: ApprovalClaims, { endpointId, deviceId }: Use): string | null {
  if (!approval.isKeyValid) return 'unknown_key'
  if (claims.endpoint !== endpointId || approval.endpointId !== endpointId) return 'other_endpoint'
  if (claims.sub !== deviceId || approval.deviceId !== deviceId) return 'other_device'
  if (claims.model_sha256 !== approval.modelSha256) return 'claims'
  if ((claims.joint_map ?? null) !== approval.jointMap) return 'claims'
  if (approval.isTokenOver || approval.isOver) return 'expired'
  if (nextApproval('open', approval) === null) return approval.status
  if (!approval.isMinterOfBoth) return 'minter_left'
  return approval.isMinterDisabled ? 'minter_disabled' : null
}
