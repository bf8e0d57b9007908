/** A person adds, names and removes their own passkeys. Contract, "Passkeys". */
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { assertSession } from '../../auth/policy.ts'
import { assertRecentSignIn } from '../../auth/recent-sign-in.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Config } from '../../platform/config.ts'
import { HubError, invalid, notFound } from '../../platform/errors.ts'
import type { Querier } from '../../store/db.ts'
import { assertLiveSession } from '../own-sessions.ts'
import { assertLocalSignIn } from '../passwords/sign-in.ts'
import { beginCeremony, randomText, takeCeremony } from './ceremony.ts'
import {
  assertRoom,
  lockSignInWays,
  type OwnPasskey,
  passkeysOf,
  removeRow,
  renameRow,
  storePasskey,
  waysOf,
} from './passkey-rows.ts'
import { relyingParty, requireRelyingParty } from './relying-party.ts'
import { creationOptions, verifyCreated } from './webauthn.ts'

export interface StartedPasskey {
  readonly ceremony: string
  readonly options: PublicKeyCredentialCreationOptionsJSON
}

/**
 * newPasskey: what a browser needs to make a passkey of the session's person, within five minutes and in this session.
 * Stores nothing. Errors: 401, 403 for a key and without a recent sign-in, 429 `quota.passkeys`, 503.
 */
export async function startPasskey(ctx: RequestContext): Promise<StartedPasskey> {
  const { db, config, signingKeys } = ctx.deps
  const { personId, account, credentialId } = assertRecentSignIn(ctx.viewer)
  assertLocalSignIn(config)
  const party = requireRelyingParty(config)
  const own = await db.query(passkeysOf, { accountId: personId })
  assertRoom(own.length)
  const here = own.filter(({ rpId }) => rpId === party.id)
  // One for all their passkeys at this host: a device then knows that they are of one person.
  const userHandle = here[0]?.userHandle.toString('base64url') ?? randomText()
  const begun = await beginCeremony(signingKeys, { use: 'add', of: credentialId }, userHandle)
  const options = await creationOptions(party, begun.challenge, { ...account, userHandle }, here)
  return { ceremony: begun.ceremony, options }
}

interface AddedPasskey {
  readonly ceremony: string
  readonly name: string
  readonly clientDataJson: string
  readonly attestationObject: string
  readonly transports?: readonly string[] | null
}

/**
 * addPasskey: adds what the browser made for `newPasskey` of the same session. Errors: 401, 403 for a key and without
 * a recent sign-in, 409 `conflict.taken`, 422 for an answer that is late, used or wrong, 429 `quota.passkeys`, 503.
 */
export function addPasskey(ctx: RequestContext, input: AddedPasskey): Promise<{ readonly id: string }> {
  return guarded(
    ctx,
    () => assertRecentSignIn(ctx.viewer),
    async (allowed, { personId: accountId, credentialId }) => {
      const { db, config, signingKeys: keys } = allowed.deps
      assertLocalSignIn(config)
      const party = requireRelyingParty(config)
      const asked = await takeCeremony({ keys, db }, input.ceremony, { use: 'add', of: credentialId })
      const { clientDataJson: clientDataJSON, attestationObject } = input
      const created = { clientDataJSON, attestationObject, transports: input.transports ?? [] }
      const made = asked && (await verifyCreated(party, asked, created))
      if (!made) throw wrongAnswer()
      return commitVerb(allowed, async (tx) => {
        await lockSignInWays(tx, accountId)
        await assertLiveSession(tx, credentialId)
        return { id: await storePasskey(tx, allowed, { accountId, passkey: { ...made, name: input.name } }) }
      })
    },
  )
}

/** 422 at `ceremony`: which part of an answer is wrong helps no one whose browser made it. */
export const wrongAnswer = (): HubError =>
  invalid('validation.value', 'The passkey was not made within five minutes, or not for this page. Begin again.', [
    'ceremony',
  ])

/** renamePasskey: another name for one of the caller's own. Errors: 401, 403 for a key, 404. */
export function renamePasskey(
  ctx: RequestContext,
  input: { readonly id: string; readonly name: string },
): Promise<{ readonly id: string }> {
  const { name } = input
  return guarded(
    ctx,
    () => findOwn(ctx, assertSession(ctx.viewer).personId, input.id),
    (allowed, { id, accountId, name: before }) =>
      commitVerb(allowed, async (tx) => {
        const [renamed] = await tx.query(renameRow, { id, accountId, name })
        if (!renamed) throw noPasskey(id)
        const entry = { action: 'passkey.rename', accountId, targetId: id, before: { name: before }, after: { name } }
        await audit(tx, allowed, entry)
        return { id }
      }),
  )
}

/**
 * removePasskey: it no longer signs anyone in; sessions that it opened stay. Errors: 401, 403 for a key and without a
 * recent sign-in, 404, 409 `conflict.last_sign_in`.
 */
export function removePasskey(ctx: RequestContext, input: { readonly id: string }): Promise<{ readonly id: string }> {
  return guarded(
    ctx,
    () => findOwn(ctx, assertRecentSignIn(ctx.viewer).personId, input.id),
    (allowed, { id, accountId, name, rpId }) =>
      commitVerb(allowed, async (tx) => {
        await lockSignInWays(tx, accountId)
        await assertNotLast(tx, allowed.deps.config, { accountId, rpId })
        const [removed] = await tx.query(removeRow, { id, accountId })
        if (!removed) throw noPasskey(id)
        await audit(tx, allowed, { action: 'passkey.remove', accountId, targetId: id, before: { name, rpId } })
        return { id }
      }),
  )
}

const noPasskey = (id: string) => notFound(`The passkey ${id}`)

async function findOwn(
  ctx: RequestContext,
  accountId: string,
  id: string,
): Promise<OwnPasskey & { accountId: string }> {
  const own = await ctx.deps.db.query(passkeysOf, { accountId })
  const found = own.find((passkey) => passkey.id === id)
  if (!found) throw noPasskey(id)
  return { ...found, accountId }
}

/** 409 for the only way in. One that this hub takes no more, as after another PUBLIC_URL, is none. */
async function assertNotLast(
  tx: Querier,
  config: Config,
  { accountId, rpId }: { readonly accountId: string; readonly rpId: string },
): Promise<void> {
  const party = relyingParty(config)
  if ('fault' in party || party.id !== rpId) return
  const [ways] = await tx.query(waysOf, { accountId, rpId, issuer: config.oidc?.issuer ?? null })
  if (ways?.passkeys !== 1 || ways.hasPassword || ways.hasIdentity) return
  throw new HubError(
    'conflict.last_sign_in',
    'This passkey is your only way to sign in. Set a password or add another passkey first.',
  )
}
