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
import { lockSignInWays, removePasskeys, waysOf } from '../passkeys/passkey-rows.ts'
import { assertLocalSignIn } from '../passwords/sign-in.ts'
import { type CreatedSession, openSession } from '../sessions.ts'
import { endLink, endLinksOfAccount, type Link, openLink } from './link-rows.ts'

/** What the page of a link shows. */
export interface ShownLink {
  readonly kind: Link['kind']
  /** Whose password or passkey it sets. */
  readonly handle: string | null
  readonly org: string | null
  readonly role: Link['role']
  readonly expiresAt: string
}

/** What a link is redeemed with. */
export interface NewWay {
  readonly kind: 'password' | 'passkey'
  /** Gives it to an account whose ways to sign in are locked, or that is new. False if another one came first. */
  add(tx: Querier, ctx: AuditContext, to: NewWayTo): Promise<boolean>
}

interface NewWayTo extends Pick<Link, 'kind' | 'passwordChangedAt'> {
  readonly accountId: string
}

export interface Redeemed {
  readonly accountId: string
  readonly session: CreatedSession
}

/** What a token leads to. Errors: 401 `auth.link`, the same one for unknown, used, withdrawn and expired; 503. */
export async function lookAtLink(auth: Auth, token: string): Promise<ShownLink> {
  const { kind, handle, org, role, expiresAt } = await findLink(auth, token)
  return { kind, handle, org, role, expiresAt }
}

/** A link that still works. Errors: 401 `auth.link`, 503. */
export async function findLink(auth: Auth, token: string): Promise<Link> {
  assertLocalSignIn(auth.config)
  const [link] = await auth.db.query(openLink, { tokenSha256: tokenDigest(token) })
  if (!link) throw noLink()
  return link
}

/** The handle of the account that a link is for, or that one who is invited chose. 422 where they chose none. */
export function handleOf(link: Link, chosen: string | null): string {
  const handle = link.handle ?? chosen?.trim() ?? ''
  if (handle === '') throw invalid('validation.required', 'handle is required.', ['body', 'handle'])
  return handle
}

interface Redeeming {
  readonly link: Link
  readonly handle: string
  /** Of a new account, for an invitation. */
  readonly name: string | null
  readonly way: NewWay
  readonly userAgent: string | null
}

/**
 * Redeems a link with a new way to sign in: gives it to the account, or makes the account that an invitation is for,
 * and opens a session. Errors: 401 `auth.link`, 403 if the inviter may not any more, 409 `conflict.taken`, 422. After
 * an error the link still works.
 */
export function redeem(auth: Auth, ctx: AuditContext, { link, way, ...person }: Redeeming): Promise<Redeemed> {
  return auth.db.withTx(async (tx) => {
    await takeLink(tx, link)
    const accountId =
      link.accountId === null
        ? await addInvited(tx, ctx, link, { ...person, way })
        : await setByLink(tx, ctx, { ...link, accountId: link.accountId }, way)
    const { sessionTtlSeconds: ttlSeconds } = auth.config
    const { userAgent } = person
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
  { handle, name, way }: Pick<Redeeming, 'handle' | 'name' | 'way'>,
): Promise<string> {
  const user = await addUser(tx, ctx, { handle, name })
  await way.add(tx, ctx, { accountId: user.id, kind: 'invitation', passwordChangedAt: null })
  await audit(tx, ctx, { action: 'invitation.accept', accountId: user.id, targetId: link.id, after: { org: link.org } })
  await putInvited(tx, ctx, link, user)
  return user.id
}

/** An invitation is worth what the inviter may do now: one who is no longer an owner brings no one in. */
async function putInvited(tx: Querier, ctx: AuditContext, link: Link, user: AccountRef): Promise<void> {
  const { orgId, org: orgHandle, role } = link
  if (orgId === null || orgHandle === null || role === null) return
  const org = { id: orgId, kind: 'org', handle: orgHandle, name: null } as const
  if (link.createdBy !== null) await assertStillInOrg(tx, org, link.createdBy, 'owner')
  await putMembership({ tx, ctx, org, user, role })
}

/**
 * A setup is for an account without a way to sign in. A reset leaves the new one alone: who has lost a device, or fears
 * that another has their password, gets rid of all of them, and of all sessions.
 */
async function setByLink(
  tx: Querier,
  ctx: AuditContext,
  link: Link & { readonly accountId: string },
  way: NewWay,
): Promise<string> {
  const { accountId, kind, passwordChangedAt } = link
  await lockSignInWays(tx, accountId)
  const [had] = await tx.query(waysOf, { accountId, rpId: null, issuer: null })
  if (kind === 'setup' && (had?.hasPassword || had?.passkeys)) throw noLink()
  const removedPasskeys = kind === 'reset' ? await removePasskeys(tx, accountId) : 0
  if (!(await way.add(tx, ctx, { accountId, kind, passwordChangedAt }))) throw noLink()
  await tx.query(endLinksOfAccount, { accountId })
  const endedSessions = kind === 'reset' ? await endOtherSessionsOf(tx, accountId, null) : 0
  const after = { endedSessions, removedPasskeys }
  if (kind === 'reset') await audit(tx, ctx, { action: `${way.kind}.reset`, accountId, targetId: accountId, after })
  return accountId
}

const noLink = () =>
  new HubError(
    'auth.link',
    'This link does not work: it was used, has expired or is incomplete. Ask for a new one where it came from.',
  )
