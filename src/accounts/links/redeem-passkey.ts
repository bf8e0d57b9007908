/** Redeeming a link with a passkey. Contract, "Links that work once". */
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import type { Auth } from '../../auth/auth.ts'
import { accountByHandle, assertHandle, handleTaken } from '../../auth/handle.ts'
import type { AuditContext } from '../../operation/audit.ts'
import { beginCeremony, randomText, takeCeremony } from '../passkeys/ceremony.ts'
import { wrongAnswer } from '../passkeys/own-passkeys.ts'
import { type NewPasskey, passkeysOf, storePasskey } from '../passkeys/passkey-rows.ts'
import { requireRelyingParty } from '../passkeys/relying-party.ts'
import { type Created, creationOptions, verifyCreated } from '../passkeys/webauthn.ts'
import { dropPassword } from '../passwords/password-rows.ts'
import type { Link } from './link-rows.ts'
import { findLink, handleOf, type NewWay, type Redeemed, redeem } from './redeem-link.ts'

interface Invited {
  readonly token: string
  /** Of a new account, for an invitation. */
  readonly handle: string | null
  readonly name: string | null
}

/** A ceremony belongs to one link, and to the handle that the device shows. */
const ceremonyOf = (link: Link, handle: string) => ({ use: 'redeem', of: `${link.id} ${handle}` }) as const

/**
 * What a browser needs to make a passkey for a link. Errors: 401 `auth.link`, 409 `conflict.taken` for a handle that is
 * taken now, 422, 503: no device is left with a passkey for nothing.
 */
export async function startLinkPasskey(
  auth: Auth,
  given: Invited,
): Promise<{ readonly ceremony: string; readonly options: PublicKeyCredentialCreationOptionsJSON }> {
  const link = await findLink(auth, given.token)
  const party = requireRelyingParty(auth.config)
  const handle = handleOf(link, given.handle)
  if (link.accountId === null) {
    assertHandle(handle)
    if ((await auth.db.query(accountByHandle, { handle })).length > 0) throw handleTaken(handle)
  }
  const { accountId } = link
  const own = accountId === null ? [] : await auth.db.query(passkeysOf, { accountId })
  // A device that has one of the person's passkeys replaces it: a reset removes it here.
  const userHandle = own.find(({ rpId }) => rpId === party.id)?.userHandle.toString('base64url') ?? randomText()
  const begun = await beginCeremony(auth.keys, ceremonyOf(link, handle), userHandle)
  const person = { handle, name: given.name, userHandle }
  return { ceremony: begun.ceremony, options: await creationOptions(party, begun.challenge, person, []) }
}

interface WithPasskey extends Invited {
  readonly ceremony: string
  readonly created: Created
  readonly passkeyName: string
  readonly userAgent: string | null
}

/** Redeems a link with a passkey. Errors: as `redeem`, and 422 for an answer that is late, used or wrong; 503. */
export async function redeemWithPasskey(auth: Auth, ctx: AuditContext, given: WithPasskey): Promise<Redeemed> {
  const link = await findLink(auth, given.token)
  const party = requireRelyingParty(auth.config)
  const handle = handleOf(link, given.handle)
  const asked = await takeCeremony(auth, given.ceremony, ceremonyOf(link, handle))
  const made = asked && (await verifyCreated(party, asked, given.created))
  if (!made) throw wrongAnswer()
  const { name, userAgent } = given
  const way = passkeyWay({ ...made, name: given.passkeyName })
  return redeem(auth, ctx, { link, handle, name, userAgent, way })
}

const passkeyWay = (passkey: NewPasskey): NewWay => ({
  kind: 'passkey',
  async add(tx, ctx, { accountId, kind }) {
    if (kind === 'reset') await tx.query(dropPassword, { accountId })
    await storePasskey(tx, ctx, { accountId, passkey, by: kind })
    return true
  },
})
