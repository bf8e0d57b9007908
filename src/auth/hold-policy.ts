/**
 * The rules for who sees and decides spend holds: pure functions of a viewer, and the matching SQL. Spec, "Spend
 * holds".
 */
import type { Credentialed, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { type Given, param } from '../store/statement.ts'
import { assertLevel, assertSession } from './policy.ts'
import { assertRecentSignIn } from './recent-sign-in.ts'

/** The facts of a hold that decide visibility. */
export interface HoldTarget {
  /** The account that would be billed. */
  readonly accountId: string
  /** The key that filed it. */
  readonly filedBy: string
  /** The person behind that key. */
  readonly createdBy: string | null
}

/** The parameters of a statement with `holdVisibleSql`; `visibleHolds` provides the values. */
export const holdViewer = {
  accountIds: param.texts(),
  /** The user whose keys' holds are visible, also those billed to another account. */
  userId: param.text.orNull(),
  credentialId: param.text.orNull(),
}

export type VisibleHolds = Given<typeof holdViewer>

const nothing: VisibleHolds = { accountIds: [], userId: null, credentialId: null }

/**
 * The values of `holdViewer`. An anonymous caller and the key of a hosted job see no hold; a key limited to repos sees
 * those that it filed itself.
 */
export function visibleHolds(viewer: Viewer): VisibleHolds {
  if (viewer.kind === 'anonymous' || viewer.job) return nothing
  const { accountIds, account, credentialId, repoIds } = viewer
  if (repoIds !== null) return { ...nothing, credentialId }
  return { accountIds, userId: account.kind === 'user' ? account.id : null, credentialId }
}

/** Whether the viewer sees one hold, by the same rule. */
export function canSeeHold(hold: HoldTarget, viewer: Viewer): boolean {
  const { accountIds, userId, credentialId } = visibleHolds(viewer)
  return (
    hold.filedBy === credentialId ||
    accountIds.includes(hold.accountId) ||
    (hold.createdBy !== null && hold.createdBy === userId)
  )
}

/** `canSeeHold` as an SQL condition on the row `alias`, with the parameters `holdViewer`. */
export function holdVisibleSql(alias: string): string {
  return `(${alias}.filed_by = :credentialId or ${alias}.account_id = any(:accountIds::text[]) or ${alias}.created_by = :userId)`
}

/**
 * May the viewer approve or deny a hold that they see? Only a session of the account's user or of any member of the
 * org; 401, then 403 for all others.
 */
export function assertDecides(viewer: Viewer, hold: HoldTarget): Credentialed & { readonly personId: string } {
  const session = assertSession(viewer)
  if (session.accountIds.includes(hold.accountId)) return session
  throw notOfAccount()
}

/** May the viewer approve a hold that they see? As `assertDecides`, then 403 without a recent sign-in. */
export function assertApproves(viewer: Viewer, hold: HoldTarget): Credentialed & { readonly personId: string } {
  assertDecides(viewer, hold)
  return assertRecentSignIn(viewer)
}

/**
 * May the viewer cancel a hold that they see? Only the key that filed it, or a session of a person of the account; 401,
 * then 403 for all others.
 */
export function assertCancels(viewer: Viewer, hold: HoldTarget): Credentialed {
  const credential = assertLevel(viewer, 'write')
  if (credential.credentialId === hold.filedBy) return credential
  if (credential.kind !== 'session')
    throw new HubError(
      'forbidden.scope',
      'Only the key that filed the hold, or a person of the account, may cancel it.',
    )
  return assertDecides(viewer, hold)
}

const notOfAccount = () => new HubError('forbidden.scope', 'The hold is on an account that you are not a member of.')
