/** Signing in with a passkey. Contract, "Passkeys": no name is typed, so that none can be tried. */
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Auth } from '../../auth/auth.ts'
import { type AuditContext, audit } from '../../operation/audit.ts'
import { HubError } from '../../platform/errors.ts'
import { networkOf } from '../../platform/network-of.ts'
import type { Tx } from '../../store/db.ts'
import { browserOf } from '../passwords/known-browser.ts'
import { assertLocalSignIn } from '../passwords/sign-in.ts'
import { chargeAttempt, type DelaySubject, forgiveAttempt } from '../passwords/sign-in-delay.ts'
import { type CreatedSession, openSession } from '../sessions.ts'
import { beginCeremony, takeCeremony } from './ceremony.ts'
import { counterOf, type KnownPasskey, lockSignInWays, passkeyByCredential, usePasskey } from './passkey-rows.ts'
import { requireRelyingParty } from './relying-party.ts'
import { type Asserted, requestOptions, verifyAsserted } from './webauthn.ts'

/** Begins a sign-in in this browser. Stores nothing. Errors: 503 where passkeys are not in use. */
export async function startSignIn(
  auth: Auth,
  browser: string,
): Promise<{ readonly ceremony: string; readonly options: PublicKeyCredentialRequestOptionsJSON }> {
  assertLocalSignIn(auth.config)
  const party = requireRelyingParty(auth.config)
  const { ceremony, challenge } = await beginCeremony(auth.keys, { use: 'sign_in', of: browser })
  return { ceremony, options: await requestOptions(party, challenge) }
}

interface PasskeyAttempt {
  readonly ceremony: string
  readonly answer: Asserted
  /** By which the ceremony knows the browser that it began in. */
  readonly browser: string
  readonly address: string
  /** The cookie of a browser that has signed in before. */
  readonly known: string | null
  readonly userAgent: string | null
}

interface SignedIn {
  readonly accountId: string
  readonly session: CreatedSession
}

/**
 * A key that no passkey has: the base point of P-256 in COSE. An unknown passkey is verified against it, for the time
 * that it takes, and refused whatever comes of it.
 */
const UNMATCHED = Buffer.from(
  'a50102032620012158206b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
    '2258204fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  'hex',
)

/**
 * A new session for the person whose device has answered. Errors: 401 `auth.invalid`, the same one for an unknown
 * passkey, a removed one and a wrong answer; 429 `rate.limited` while attempts have to wait; 503.
 */
export async function signInWithPasskey(auth: Auth, ctx: AuditContext, attempt: PasskeyAttempt): Promise<SignedIn> {
  const { answer } = attempt
  assertLocalSignIn(auth.config)
  const party = requireRelyingParty(auth.config)
  const credentialId = Buffer.from(answer.id, 'base64url')
  const [known] = await auth.db.query(passkeyByCredential, { credentialId, rpId: party.id })
  const subjects = subjectsOf(auth, attempt, known)
  await chargeAttempt(auth.db, subjects)
  const asked = await takeCeremony(auth, attempt.ceremony, { use: 'sign_in', of: attempt.browser })
  if (!asked) throw tooLate()
  const use = await verifyAsserted(party, asked.challenge, answer, known?.publicKey ?? UNMATCHED)
  if (!use || !known || known.userHandle.toString('base64url') !== answer.userHandle) throw refused()
  const session = await auth.db.withTx(async (tx) => {
    await lockSignInWays(tx, known.accountId)
    const [used] = await tx.query(usePasskey, { id: known.id, ...use })
    if (!used) return tellCopied(tx, ctx, known, use.counter)
    await forgiveAttempt(tx, subjects)
    const { sessionTtlSeconds: ttlSeconds } = auth.config
    const { userAgent } = attempt
    const user = { id: known.accountId }
    return openSession({ auth, tx, ctx, user, ttlSeconds, userAgent, way: 'passkey', passkeyId: known.id })
  })
  if (session === null) throw refused()
  return { accountId: known.accountId, session }
}

/** As for a password: a known browser is counted by itself, so that guesses made elsewhere do not delay it. */
function subjectsOf(auth: Auth, attempt: PasskeyAttempt, known: KnownPasskey | undefined): DelaySubject[] {
  const browser = browserOf(auth, attempt.known, known?.accountId ?? null)
  if (browser !== null) return [{ kind: 'browser', value: browser }]
  return [{ kind: 'network', value: networkOf(attempt.address) }]
}

/**
 * The signature is right, and its count is not above that of before: the passkey was copied, or was removed meanwhile.
 * It is refused, and the person finds it in the audit log of their account. A device that counts goes on from its own
 * count, so its next answer is right again.
 */
async function tellCopied(tx: Tx, ctx: AuditContext, { id, accountId }: KnownPasskey, counter: number): Promise<null> {
  const [kept] = await tx.query(counterOf, { id })
  if (kept)
    await audit(tx, ctx, {
      action: 'passkey.refused',
      accountId,
      targetId: id,
      before: { counter: kept.counter },
      after: { counter },
    })
  return null
}

const refused = () =>
  new HubError('auth.invalid', 'This passkey does not sign in here. Choose another one, or another way to sign in.')

const tooLate = () =>
  new HubError('auth.invalid', 'The sign-in took longer than five minutes, or was used already. Begin again.')
