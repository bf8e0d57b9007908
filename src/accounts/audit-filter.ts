/** Which entries of an account's audit log are listed: by action, actor, target and time. */
import { firstIdAt } from '@hub/formats/ids'
import type { RequestContext } from '../operation/context.ts'
import { findAccount } from './find-account.ts'

/** As callers give it; what is null or left out filters nothing. */
export interface AuditFilterInput {
  readonly action?: string | null
  /** Handle of the user who acted. */
  readonly actor?: string | null
  readonly targetId?: string | null
  /** The entries made at this time and later. */
  readonly from?: string | null
  /** The entries made before this time. */
  readonly to?: string | null
}

/** With the actor's id in place of the handle, and ids in place of times. */
interface AuditFilter {
  readonly action: string | null
  readonly actorId: string | null
  readonly targetId: string | null
  /** Where the entries of the time begin and end. `at`, which is by the clock of the database, has no index. */
  readonly from: string | null
  readonly to: string | null
}

/** 404 for an actor that no user has as their handle. */
export async function auditFilter(ctx: RequestContext, input: AuditFilterInput): Promise<AuditFilter> {
  const { action = null, actor = null, targetId = null, from = null, to = null } = input
  const actorId = actor === null ? null : (await findAccount(ctx.deps.db, actor, 'user')).id
  const idAt = (time: string | null) => (time === null ? null : firstIdAt('aud', Date.parse(time)))
  return { action, actorId, targetId, from: idAt(from), to: idAt(to) }
}

/** As conditions of Prisma on the entries of an account; empty without filters. Times are for the page. */
export function auditWhere(accountId: string, { action, actorId, targetId }: AuditFilter) {
  return {
    ...(action !== null && { action }),
    ...(actorId !== null && { actorId }),
    // Twice, as the account of a listing: so that its index gives the order too.
    ...(targetId !== null && { accountId, targetId: { in: [targetId, targetId] } }),
  }
}

/** Entries of a target by the index that begins with it. */
export const byTarget = [{ targetId: 'asc' }, { id: 'desc' }] as const
