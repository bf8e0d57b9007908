/** Redeeming a link that works once. Contract, "Links that work once". */
import { tokenDigest } from '../../auth/api-key.ts'
import type { Auth } from '../../auth/auth.ts'
import { type AuditContext, audit } from '../../operation/audit.ts'
import type { AccountRef } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import type { Querier } from '../../store/db.ts'
import { addUser } from '../accounts.ts'
import { assertStillInOrg, isMember, putMembership } from '../org-members.ts'
import { endOtherSessionsOf } from '../own-sessions.ts'
import { assertNewPassword } from '../passwords/new-password.ts'
import { hashPassword } from '../passwords/password-hash.ts'
import { replacePassword } from '../passwords/password-rows.ts'
import { assertLocalSignIn } from '../passwords/sign-in.ts'
import { type CreatedSession, openSession } from '../sessions.ts'
import { endLink, endLinksOfAccount, type Link, openLink } from './link-rows.ts'

/** What the page of a link shows. */
export interface ShownLink {
  readonly kind: Link['kind']
  /** Whose password it sets. */
  readonly handle: string | null
  readonly org: string | null
  readonly role: Link['role']
  readonly expiresAt: string
}

interface NewPerson {
  readonly token: string
  readonly password: string
  /** Of a new account, for an invitation. */
  readonly handle: string | null
  readonly name: string | null
  readonly userAgent: string | null
  /** Who asks, for the turns of hashing. */
  readonly network: string
}

interface Redeemed {
  readonly accountId: string
  readonly session: CreatedSession
}

/** What a token leads to. Errors: 401 `auth.link`, the same one for unknown, used, withdrawn and expired; 503. */
export async function lookAtLink(auth: Auth, token: string): Promise<ShownLink> {
  const { kind, handle, org, role, expiresAt } = await findLink(auth, token)
  return { kind, handle, org, role, expiresAt }
}

async function findLink(auth: Auth, token: string): Promise<Link> {
  assertLocalSignIn(auth.config)
  const [link] = await auth.db.query(openLink, { tokenSha256: tokenDigest(token) })
  if (!link) throw noLink()
  return link
}

/**
 * Redeems a link with a password: sets that of the account, or makes the account that an invitation is for, and opens a
 * session. Errors: 401 `auth.link`, 403 if the inviter may not any more, 409 `conflict.taken`, 422, 503. After an error
 * the link still works.
 */
export async function redeemLink(auth: Auth, ctx: AuditContext, given: NewPerson): Promise<Redeemed> {
  const link = await findLink(auth, given.token)
  const handle = link.handle ?? given.handle?.trim() ?? null
  if (handle === null || handle === '') throw invalid('validation.required', 'handle is required.', ['body', 'handle'])
  assertNewPassword(given.password, handle)
  const hash = await hashPassword(given.password, { costLog2: auth.config.passwordCost, asker: given.network })
  return auth.db.withTx(async (tx) => {
    await takeLink(tx, link)
    const accountId =
      link.accountId === null
        ? await addInvited(tx, ctx, link, { handle, name: given.name, hash })
        : await setByLink(tx, ctx, { ...link, accountId: link.accountId }, hash)
    const { sessionTtlSeconds: ttlSeconds } = auth.config
    const { userAgent } = given
    const session = await openSession({ auth, tx, ctx, user: { id: accountId }, ttlSeconds, userAgent, way: link.kind })
    return { accountId, session }
  })
}

/**
 * A person who has an account comes into the org of an invitation. Errors: as `redeemLink`, and 409 `conflict.taken`
 * for a member, whose role stays.
 */
export async function joinByLink(auth: Auth, ctx: AuditContext, token: string, user: AccountRef): Promise<void> {
  const link = await findLink(auth, token)
  if (link.kind !== 'invitation' || link.orgId === null) throw noLink()
  const { orgId } = link
  await auth.db.withTx(async (tx) => {
    await takeLink(tx, link)
    if (await isMember(tx, orgId, user.id))
      throw new HubError('conflict.taken', `You are a member of ${link.org} already.`)
    await putInvited(tx, ctx, link, user)
  })
}

/** The link's row decides between two tabs: one of them gets it, the other one finds it used. */
async function takeLink(tx: Querier, link: Link): Promise<void> {
  const [ended] = await tx.query(endLink, { id: link.id })
  if (!ended) throw noLink()
}

async function addInvited(
  tx: Querier,
  ctx: AuditContext,
  link: Link,
  { handle, name, hash }: { readonly handle: string; readonly name: string | null; readonly hash: string },
): Promise<string> {
  const user = await addUser(tx, ctx, { handle, name })
  await replacePassword(tx, { accountId: user.id, hash, before: null })
  await audit(tx, ctx, { action: 'invitation.accept', accountId: user.id, targetId: link.id, after: { org: link.org } })
  await putInvited(tx, ctx, link, user)
  return user.id
}

/** An invitation is worth what the inviter may do now: one who is no owner any more brings no one in. */
async function putInvited(tx: Querier, ctx: AuditContext, link: Link, user: AccountRef): Promise<void> {
  const { orgId, org: orgHandle, role } = link
  if (orgId === null || orgHandle === null || role === null) return
  const org = { id: orgId, kind: 'org', handle: orgHandle, name: null } as const
  if (link.createdBy !== null) await assertStillInOrg(tx, org, link.createdBy, 'owner')
  await putMembership({ tx, ctx, org, user, role })
}

/** A setup only adds a password; a reset replaces it, and ends all sessions. */
async function setByLink(
  tx: Querier,
  ctx: AuditContext,
  link: Link & { readonly accountId: string },
  hash: string,
): Promise<string> {
  const { accountId, kind } = link
  if (kind === 'setup' && link.passwordChangedAt !== null) throw noLink()
  const changedAt = await replacePassword(tx, { accountId, hash, before: link.passwordChangedAt })
  if (changedAt === null) throw noLink()
  await tx.query(endLinksOfAccount, { accountId })
  const endedSessions = kind === 'reset' ? await endOtherSessionsOf(tx, accountId, null) : 0
  const action = kind === 'reset' ? 'password.reset' : 'password.set'
  await audit(tx, ctx, { action, accountId, targetId: accountId, after: { endedSessions } })
  return accountId
}

const noLink = () =>
  new HubError(
    'auth.link',
    'This link does not work: it was used, has expired or is incomplete. Ask for a new one where it came from.',
  )
