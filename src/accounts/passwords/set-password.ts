/** setPassword: a person sets or changes their own password. Contract, "Passwords". */
import { assertSession } from '../../auth/policy.ts'
import { assertRecentSignIn } from '../../auth/recent-sign-in.ts'
import { audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { invalid } from '../../platform/errors.ts'
import { assertLiveSession, endOtherSessionsOf } from '../own-sessions.ts'
import { lockSignInWays } from '../passkeys/passkey-rows.ts'
import { assertNewPassword } from './new-password.ts'
import { type Hashing, hashPassword, isPassword } from './password-hash.ts'
import { passwordOf, replacePassword } from './password-rows.ts'
import { assertLocalSignIn } from './sign-in.ts'
import { chargeAttempt, forgiveAttempt } from './sign-in-delay.ts'

interface NewPassword {
  readonly password: string
  readonly currentPassword?: string | null
}

interface SetPassword {
  /** RFC 3339. */
  readonly changedAt: string
  /** Number of other sessions that it ended. */
  readonly endedSessions: number
}

/**
 * Sets the password of the session's person. A change needs the current one and ends all their other sessions; the
 * first needs a sign-in of the last 15 minutes. Never stored for a replay: what is stored of a request would help to
 * guess the password. Errors: 401, 403 for a key and without a recent sign-in, 422 for a weak password or a wrong
 * current one, 429 after too many of those, 503.
 */
export async function setPassword(ctx: RequestContext, input: NewPassword): Promise<SetPassword> {
  const { db, config } = ctx.deps
  const { personId, account, credentialId } = assertSession(ctx.viewer)
  assertLocalSignIn(config)
  assertNewPassword(input.password, account.handle)
  const [known] = await db.query(passwordOf, { accountId: personId })
  const hashing = { costLog2: config.passwordCost, asker: personId }
  if (known) await assertCurrent(ctx, hashing, input.currentPassword ?? null, known.hash)
  else assertRecentSignIn(ctx.viewer)
  const hash = await hashPassword(input.password, hashing)
  return db.withTx(async (tx) => {
    if (!known) {
      // A reset with a passkey may have left nothing that this would replace.
      await lockSignInWays(tx, personId)
      await assertLiveSession(tx, credentialId)
    }
    const changedAt = await replacePassword(tx, { accountId: personId, hash, before: known?.changedAt ?? null })
    // A reset is stronger than a session of the time before it.
    if (changedAt === null) throw invalid('validation.value', 'The password was changed meanwhile.', ['password'])
    const endedSessions = known ? await endOtherSessionsOf(tx, personId, credentialId) : 0
    const action = known ? 'password.change' : 'password.set'
    await audit(tx, ctx, { action, accountId: personId, targetId: personId, after: { endedSessions } })
    return { changedAt, endedSessions }
  })
}

/** A browser that was left open guesses no faster here than where people sign in. */
async function assertCurrent(ctx: RequestContext, hashing: Hashing, current: string | null, hash: string) {
  if (current === null)
    throw invalid('validation.required', 'You have a password: give the current one too.', ['currentPassword'])
  const subjects = [{ kind: 'browser', value: hashing.asker }] as const
  await chargeAttempt(ctx.deps.db, subjects)
  if (!(await isPassword(current, hash, hashing)))
    throw invalid('validation.value', 'The current password is another one.', ['currentPassword'])
  await forgiveAttempt(ctx.deps.db, subjects)
}
