/** startDeviceLogin: a program without a browser asks for a sign-in (RFC 8628, section 3.1). */
import { randomBytes } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import { tokenDigest } from '../../auth/api-key.ts'
import type { RequestContext, ScopeLevel } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { networkOf } from '../../platform/network-of.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { LOGIN_SECONDS } from './device-login.ts'
import { makeRoom } from './displace-logins.ts'
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
const CODE_ATTEMPTS = 5
const INTERVAL_SECONDS = 5

const madeColumns = columns({ userCode: column.text('user_code') })

const loginRow = insertInto('device_logins', {
  id: param.text(),
  deviceCodeSha256: param.bytea(),
  userCode: param.text(),
  name: param.text(),
  scope: param.enum('KeyScope'),
  keyTtlS: param.int4(),
  address: param.text.orNull(),
  network: param.text(),
  pollS: INTERVAL_SECONDS,
  expiresAt: sql(`now() + interval '${LOGIN_SECONDS} seconds'`),
})

const insertLogin = statement({
  name: 'device-login-insert',
  columns: madeColumns,
  params: loginRow.params,
  text: `${loginRow.sql} on conflict (user_code) where state = 'pending' do nothing returning ${madeColumns.sql}`,
})
type LoginValues = NonNullable<(typeof insertLogin)['values']>

/**
 * Starts a sign-in and returns its codes. The response contains a secret, so it is never stored for a replay: a repeat
 * starts another sign-in. Where too many of its network wait, another one gives way. Errors: 422.
 */
export async function startDeviceLogin(ctx: RequestContext, input: NewDeviceLogin): Promise<StartedDeviceLogin> {
  const deviceCode = randomBytes(DEVICE_CODE_BYTES).toString('base64url')
  const address = ctx.peer?.address ?? null
  const network = address === null ? '' : networkOf(address)
  const userCode = await ctx.deps.db.withTx(async (tx) => {
    await makeRoom(tx, network)
    return insertFree(tx, {
      id: newId('login'),
      deviceCodeSha256: tokenDigest(deviceCode),
      name: input.name,
      scope: input.scope ?? 'write',
      keyTtlS: input.keyTtlSeconds ?? DEFAULT_KEY_SECONDS,
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

/** Inserts the row under a user code that no pending sign-in has; returns the code with its hyphen. */
async function insertFree(tx: Tx, row: Omit<LoginValues, 'userCode'>): Promise<string> {
  for (let attempt = 0; attempt < CODE_ATTEMPTS; attempt++) {
    const [made] = await tx.query(insertLogin, { ...row, userCode: newUserCode() })
    if (made) return shownUserCode(made.userCode)
  }
  throw new HubError('unavailable', 'No free code was found; try again.')
}
