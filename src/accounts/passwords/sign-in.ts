/** Signing in with a handle and a password. Contract, "Passwords". */
import type { Auth } from '../../auth/auth.ts'
import { handleFault } from '../../auth/handle.ts'
import type { AuditContext } from '../../operation/audit.ts'
import { HubError } from '../../platform/errors.ts'
import { networkOf } from '../../platform/network-of.ts'
import { type CreatedSession, openSession } from '../sessions.ts'
import { browserOf } from './known-browser.ts'
import { hashAtCost, isPassword } from './password-hash.ts'
import { isStillPassword, keepHash, personByHandle } from './password-rows.ts'
import { chargeAttempt, type DelaySubject, forgiveAttempt } from './sign-in-delay.ts'

interface PasswordAttempt {
  readonly handle: string
  readonly password: string
  readonly address: string
  /** The cookie of a browser that has signed in before. */
  readonly known: string | null
  readonly userAgent: string | null
}

interface SignedIn {
  readonly accountId: string
  readonly session: CreatedSession
}

/** 503 `not_configured.local_sign_in` where the operator has turned passwords and passkeys off. */
export function assertLocalSignIn({ localSignIn }: { readonly localSignIn: boolean }): void {
  if (localSignIn) return
  throw new HubError(
    'not_configured.local_sign_in',
    'This hub has no sign-in with passwords and passkeys (LOCAL_SIGN_IN=no).',
  )
}

/**
 * A new session for the person who knows the password. Errors: 401 `auth.invalid`, the same one after the same time for an
 * unknown name, a wrong password and a person without one; 429 `rate.limited` while attempts have to wait; 503.
 */
export async function signInWithPassword(auth: Auth, ctx: AuditContext, attempt: PasswordAttempt): Promise<SignedIn> {
  assertLocalSignIn(auth.config)
  const handle = attempt.handle.trim().toLowerCase().replace(/^@/, '')
  // What no handle can be is an unknown name; PostgreSQL takes no NUL.
  const [person] = handleFault(handle) === null ? await auth.db.query(personByHandle, { handle }) : []
  const network = networkOf(attempt.address)
  const subjects = subjectsOf(handle, network, browserOf(auth, attempt.known, person?.id ?? null))
  await chargeAttempt(auth.db, subjects)
  const { id: accountId, hash, changedAt } = person ?? { id: null, hash: null, changedAt: null }
  const hashing = { costLog2: auth.config.passwordCost, asker: network }
  const isRight = await isPassword(attempt.password, hash, hashing)
  if (!isRight || accountId === null || hash === null || changedAt === null) throw wrongPassword()
  const rehashed = await hashAtCost(attempt.password, hash, hashing)
  const session = await auth.db.withTx(async (tx) => {
    if (!(await isStillPassword(tx, accountId, changedAt))) throw wrongPassword()
    if (rehashed !== null) await tx.query(keepHash, { accountId, hash: rehashed })
    await forgiveAttempt(tx, subjects)
    const { sessionTtlSeconds: ttlSeconds } = auth.config
    const { userAgent } = attempt
    return openSession({ auth, tx, ctx, user: { id: accountId }, ttlSeconds, userAgent, way: 'password' })
  })
  return { accountId, session }
}

/** A known browser is counted by itself: neither guesses for the name nor those of its network delay it. */
function subjectsOf(handle: string, network: string, browser: string | null): DelaySubject[] {
  if (browser !== null) return [{ kind: 'browser', value: browser }]
  return [
    { kind: 'network', value: network },
    { kind: 'name', value: handle },
  ]
}

const wrongPassword = () => new HubError('auth.invalid', 'The handle or the password is wrong.')
