/** startDeviceLogin: a program without a browser asks for a sign-in (RFC 8628, section 3.1). */
import { randomBytes } from 'node:crypto'
import { tokenDigest } from '../../auth/api-key.ts'
import type { RequestContext, ScopeLevel } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { networkOf } from '../../platform/network-of.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { LOGIN_SECONDS } from './device-login.ts'
import { newUserCode, shownUserCode } from './user-code.ts'

export interface NewDeviceLogin {
  readonly name: string
  readonly scope?: ScopeLevel | null
  readonly keyTtlSeconds?: number | null
}

/** `deviceCode` is the program's secret; the person sees `userCode`. Times in seconds. */
export interface StartedDeviceLogin {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUri: string
  readonly verificationUriComplete: string
  readonly expiresInSeconds: number
  readonly intervalSeconds: number
}

const DEVICE_CODE_BYTES = 32
export const MIN_KEY_SECONDS = 3600
export const MAX_KEY_SECONDS = 366 * 86_400
const DEFAULT_KEY_SECONDS = 90 * 86_400
/** The most pending sign-ins of one network, enough for an office behind one address. */
const MAX_WAITING = 100
const CODE_ATTEMPTS = 5
const INTERVAL_SECONDS = 5

/** Concurrent starts from one network are counted one after another. */
const lockNetwork = statement({
  name: 'device-login-network-lock',
  params: { network: param<string>() },
  text: `select pg_advisory_xact_lock(hashtextextended('device login ' || :network, 0))`,
})
const waitingColumns = columns({
  count: column<number>('count(*)'),
  freeInSeconds: column<number>('coalesce(ceil(extract(epoch from min(l.expires_at) - now())), 1)::int'),
})
const waitingOfNetwork = statement({
  name: 'device-logins-waiting',
  columns: waitingColumns,
  params: { network: param<string>() },
  text: `select ${waitingColumns.sql} from device_logins l where l.network = :network and l.state = 'pending' and l.expires_at > now()`,
})
const madeColumns = columns({ userCode: column<string>('user_code') })
const insertLogin = statement({
  name: 'device-login-insert',
  columns: madeColumns,
  params: {
    id: param<string>(),
    deviceCodeSha256: param<Buffer>(),
    userCode: param<string>(),
    loginName: param<string>(),
    scope: param<ScopeLevel>(),
    keyTtlSeconds: param<number>(),
    address: param<string | null>(),
    network: param<string>(),
  },
  text: `insert into device_logins (id, device_code_sha256, user_code, name, scope, key_ttl_s, address, network, poll_s, expires_at)
    values (:id, :deviceCodeSha256, :userCode, :loginName, :scope::"KeyScope", :keyTtlSeconds, :address, :network, ${INTERVAL_SECONDS},
      now() + interval '${LOGIN_SECONDS} seconds')
    on conflict (user_code) where state = 'pending' do nothing returning ${madeColumns.sql}`,
})
type LoginValues = NonNullable<(typeof insertLogin)['values']>

/**
 * Starts a sign-in and returns its codes. The response contains a secret, so it is never stored for a replay: a repeat starts another sign-in. Errors: 422, 429
 * `rate.limited` if too many sign-ins of the network are pending.
 */
export async function startDeviceLogin(ctx: RequestContext, input: NewDeviceLogin): Promise<StartedDeviceLogin> {
  const deviceCode = randomBytes(DEVICE_CODE_BYTES).toString('base64url')
  const address = ctx.peer?.address ?? null
  const network = address === null ? '' : networkOf(address)
  const userCode = await ctx.deps.db.withTx(async (tx) => {
    await tx.query(lockNetwork, { network })
    await assertRoom(tx, network)
    return insertFree(tx, {
      id: newId('login'),
      deviceCodeSha256: tokenDigest(deviceCode),
      loginName: input.name,
      scope: input.scope ?? 'write',
      keyTtlSeconds: input.keyTtlSeconds ?? DEFAULT_KEY_SECONDS,
      address,
      network,
    })
  })
  const verificationUri = `${ctx.peer?.hubUrl ?? ctx.deps.config.publicUrl ?? ''}/auth/device`
  return {
    deviceCode,
    userCode,
    verificationUri,
    verificationUriComplete: `${verificationUri}?user_code=${userCode}`,
    expiresInSeconds: LOGIN_SECONDS,
    intervalSeconds: INTERVAL_SECONDS,
  }
}

async function assertRoom(tx: Tx, network: string): Promise<void> {
  const [waiting] = await tx.query(waitingOfNetwork, { network })
  if (!waiting || waiting.count < MAX_WAITING) return
  const detail = `${MAX_WAITING} sign-ins from your network wait to be decided, which is the most; retry in ${waiting.freeInSeconds} s.`
  const facts = { unit: 'sign_ins', limit: MAX_WAITING, used: waiting.count, retryAfterS: waiting.freeInSeconds }
  throw new HubError('rate.limited', detail, { facts })
}

/** Inserts the row under a user code that no pending sign-in has; returns the code with its hyphen. */
async function insertFree(tx: Tx, row: Omit<LoginValues, 'userCode'>): Promise<string> {
  for (let attempt = 0; attempt < CODE_ATTEMPTS; attempt++) {
    const [made] = await tx.query(insertLogin, { ...row, userCode: newUserCode() })
    if (made) return shownUserCode(made.userCode)
  }
  throw new HubError('unavailable', 'No free code was found; try again.')
}
