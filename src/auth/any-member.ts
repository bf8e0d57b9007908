/** The part of an account that all its members see alike, so that one read serves all of them. */
import type { Credentialed, Viewer } from '../operation/context.ts'

/** Whether the viewer sees everything that belongs to the account. */
export function seesAllOf(viewer: Viewer, ownerId: string): boolean {
  return viewer.kind !== 'anonymous' && viewer.accountIds.includes(ownerId) && viewer.repoIds === null && !viewer.job
}

/**
 * A viewer who sees what belongs to the account, and nothing private of any other. Only for reads: it is not the
 * credential of a caller.
 */
export function anyMemberOf(ownerId: string): Credentialed {
  return {
    kind: 'key',
    credentialId: ownerId,
    account: { id: ownerId, kind: 'org', handle: '', name: null },
    personId: null,
    accountIds: [ownerId],
    ownedOrgIds: [],
    level: 'read',
    repoIds: null,
    agent: false,
    name: null,
    dailyGpuHourQuota: null,
    expiresAt: null,
  }
}
