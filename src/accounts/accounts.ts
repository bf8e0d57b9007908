/** Creates users and orgs, for GraphQL and for the operator command line. */

import { displayNameText } from '@hub/formats/text-rules'
import { type Account, assertHandle, handleTaken, takeHandle } from '../auth/handle.ts'
import { assertSession } from '../auth/policy.ts'
import { type AuditContext, audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { invalid } from '../platform/errors.ts'
import type { Querier } from '../store/db.ts'
import { findAccount } from './find-account.ts'
import { type OrgRole, putMembership } from './org-members.ts'

export interface NewAccount {
  readonly handle: string
  readonly name?: string | null
}

/** Display name: 1 to 200 characters; null or absent for none. */
function assertName(name: string | null | undefined): void {
  if (name != null && !displayNameText.safeParse(name).success) {
    throw invalid('validation.value', 'A name has 1 to 200 characters.', ['name'])
  }
}

async function addAccount(tx: Querier, ctx: AuditContext, kind: 'user' | 'org', input: NewAccount): Promise<Account> {
  assertHandle(input.handle)
  assertName(input.name)
  const account = await takeHandle(tx, kind, input.handle, input.name ?? null)
  if (account === null) throw handleTaken(input.handle)
  const after = { handle: account.handle, name: account.name }
  await audit(tx, ctx, { action: `${kind}.create`, accountId: account.id, targetId: account.id, after })
  return account
}

/** Creates a user (operator only). Errors: 422 handle or name, 409 `conflict.taken`. */
export function addUser(tx: Querier, ctx: AuditContext, input: NewAccount): Promise<Account> {
  return addAccount(tx, ctx, 'user', input)
}

/** Creates an org with its members (operator only). Errors: as `addUser`, and 404 for an unknown user. */
export async function addOrg(
  tx: Querier,
  ctx: AuditContext,
  input: NewAccount & { readonly members: readonly { readonly user: string; readonly role: OrgRole }[] },
): Promise<Account> {
  const org = await addAccount(tx, ctx, 'org', input)
  for (const member of input.members) {
    await putMembership({ tx, ctx, org, user: await findAccount(tx, member.user, 'user'), role: member.role })
  }
  return org
}

/**
 * createOrg: the person behind the session becomes its first owner. Errors: 401, 403 for a key, 422, 409
 * `conflict.taken`.
 */
export function createOrg(ctx: RequestContext, input: NewAccount): Promise<Account> {
  return guarded(
    ctx,
    () => assertSession(ctx.viewer),
    (allowed, { account }) =>
      commitVerb(allowed, (tx) =>
        addOrg(tx, allowed, { ...input, members: [{ user: account.handle, role: 'owner' }] }),
      ),
  )
}
