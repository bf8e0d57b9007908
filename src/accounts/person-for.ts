/** The people of an owner: only the owner and its members are told who changed, named or wrote something. */
import type { AccountRef, Viewer } from '../operation/context.ts'

/** The person, for viewers who act for the owner; null for all others. */
export function personFor(viewer: Viewer, ownerId: string, person: AccountRef | null): AccountRef | null {
  return viewer.kind !== 'anonymous' && viewer.accountIds.includes(ownerId) ? person : null
}
