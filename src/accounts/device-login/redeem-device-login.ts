/** redeemDeviceLogin: the program polls for its key (RFC 8628, section 3.4). */
import { readAccount } from '../../auth/account-json.ts'
import { tokenDigest } from '../../auth/api-key.ts'
import type { AccountRef, RequestContext, ScopeLevel } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { addApiKey, type CreatedApiKey } from '../api-keys.ts'
import { type DeviceLoginState, isDisplacedSql, loginMoves } from './device-login.ts'

/** Each poll that comes too early adds this to the interval. */
const SLOWER_SECONDS = 5
const MAX_INTERVAL_SECONDS = 60

const polledColumns = columns({
  id: column.text('l.id'),
  state: column.text<DeviceLoginState>('l.state::text'),
  name: column.text('l.name'),
  scope: column.text<ScopeLevel>('l.scope::text'),
  keyTtlSeconds: column.int4('l.key_ttl_s'),
  isExpired: column.bool('l.expires_at <= now()'),
  isDisplaced: column.bool(isDisplacedSql),
  isEarly: column.bool('coalesce(l.polled_at > now() - make_interval(secs => l.poll_s), false)'),
  pollSeconds: column.int4('l.poll_s'),
  keyId: column.text.orNull('l.key_id'),
  approver: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name)
      from accounts a where a.id = l.decided_by)`,
    readAccount,
  ),
})
type Polled = NonNullable<(typeof lockLogin)['row']>

/** Row lock: of two concurrent polls with one device code, the second waits and finds the sign-in consumed. */
const lockLogin = statement({
  name: 'device-login-lock',
  columns: polledColumns,
  params: { deviceCodeSha256: param.bytea() },
  text: `select ${polledColumns.sql} from device_logins l where l.device_code_sha256 = :deviceCodeSha256 for update`,
})
const touchLogin = statement({
  name: 'device-login-polled',
  params: { id: param.text(), pollSeconds: param.int4() },
  text: 'update device_logins set polled_at = now(), poll_s = :pollSeconds where id = :id',
})
const consumeLogin = statement({
  name: 'device-login-consume',
  params: { id: param.text(), keyId: param.text() },
  text: `update device_logins set state = '${loginMoves.redeem.to}', key_id = :keyId
    where id = :id and state = '${loginMoves.redeem.from}'`,
})

/**
 * The key of an approved sign-in, once: made, recorded and handed out in one transaction, and never stored for a
 * replay. Errors, all 400: `device_login.authorization_pending`, `device_login.slow_down`,
 * `device_login.access_denied`, `device_login.expired_token`.
 */
export async function redeemDeviceLogin(
  ctx: RequestContext,
  input: { readonly deviceCode: string },
): Promise<CreatedApiKey> {
  const answer = await ctx.deps.db.withTx(async (tx) => {
    const [login] = await tx.query(lockLogin, { deviceCodeSha256: tokenDigest(input.deviceCode) })
    return login ? poll(tx, ctx, login) : expired('The device code is unknown.')
  })
  // Thrown after the commit, so that the time of the poll is stored.
  if (answer instanceof HubError) throw answer
  return answer
}

async function poll(tx: Tx, ctx: RequestContext, login: Polled): Promise<CreatedApiKey | HubError> {
  if (login.state === 'consumed')
    return expired(`The key ${login.keyId} of this sign-in was handed out before; if it did not arrive, revoke it.`)
  if (login.isDisplaced)
    return expired('The sign-in was not approved before newer sign-ins from the same network took its place.')
  if (login.isExpired) return expired('The sign-in was not approved in time.')
  if (login.state === 'denied') return new HubError('device_login.access_denied', 'The person denied the sign-in.')
  if (login.state === loginMoves.redeem.from && login.approver) return handOut(tx, ctx, login, login.approver)
  const pollSeconds = Math.min(login.pollSeconds + (login.isEarly ? SLOWER_SECONDS : 0), MAX_INTERVAL_SECONDS)
  await tx.query(touchLogin, { id: login.id, pollSeconds })
  const facts = { retryAfterS: pollSeconds }
  if (login.isEarly) return new HubError('device_login.slow_down', `Ask every ${pollSeconds} s at most.`, { facts })
  return new HubError('device_login.authorization_pending', 'The sign-in is not approved yet.', { facts })
}

async function handOut(tx: Tx, ctx: RequestContext, login: Polled, approver: AccountRef): Promise<CreatedApiKey> {
  const { name, scope, keyTtlSeconds } = login
  const expiresAt = new Date(Date.now() + keyTtlSeconds * 1000).toISOString()
  // The person who approved is the creator of the key, even if the program's request has a credential of its own.
  const author = { requestId: ctx.requestId, viewer: null }
  const key = await addApiKey({
    tx,
    ctx: author,
    owner: approver,
    createdBy: approver.id,
    input: { name, scope, expiresAt },
  })
  await tx.query(consumeLogin, { id: login.id, keyId: key.id })
  return key
}

const expired = (why: string) =>
  new HubError('device_login.expired_token', `${why} Start a new sign-in (\`hub login\`).`)
