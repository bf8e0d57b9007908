/**
 * A sign-in of a program that has no browser (RFC 8628): its row, its limits, and how a person finds it by its user
 * code.
 */
import { assertSession } from '../../auth/policy.ts'
import type { RequestContext, ScopeLevel } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Db, Tx } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { readUserCode, shownUserCode } from './user-code.ts'

export type DeviceLoginState = 'pending' | 'approved' | 'denied' | 'consumed'

/**
 * The state machine of a sign-in, as a table from which the SQL conditions are derived. An expired or displaced sign-in
 * keeps its state until a job deletes it.
 */
export const loginMoves = {
  approve: { from: 'pending', to: 'approved' },
  deny: { from: 'pending', to: 'denied' },
  redeem: { from: 'approved', to: 'consumed' },
} as const satisfies Readonly<Record<string, { from: DeviceLoginState; to: DeviceLoginState }>>

/** A sign-in as a person sees it, before and after the decision. Times are RFC 3339. */
export interface DeviceLogin {
  readonly id: string
  /** With its hyphen: `WDJB-MJHT`. */
  readonly userCode: string
  readonly state: DeviceLoginState
  /** The name that the program gave itself; becomes the name of the key. */
  readonly name: string
  readonly scope: ScopeLevel
  readonly keyTtlSeconds: number
  /** The network address that the program's request came from. */
  readonly address: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly decidedAt: string | null
}

/** Lifetime of a sign-in: the program must fetch its key within this time. */
export const LOGIN_SECONDS = 900
/**
 * Wrong codes that a person may enter in `MISS_WINDOW_SECONDS`: ten guesses find one of a thousand pending codes with a
 * chance of 4 in 10 million.
 */
export const MAX_MISSES = 10
const MISS_WINDOW_SECONDS = 900

export const loginColumns = columns({
  id: column.text('l.id'),
  userCode: column.text('l.user_code'),
  state: column.text<DeviceLoginState>('l.state::text'),
  name: column.text('l.name'),
  scope: column.text<ScopeLevel>('l.scope::text'),
  keyTtlSeconds: column.int4('l.key_ttl_s'),
  address: column.text.orNull('l.address'),
  createdAt: column.timestamptz('l.created_at'),
  expiresAt: column.timestamptz('l.expires_at'),
  decidedAt: column.timestamptz.orNull('l.decided_at'),
})

/** A row with its user code as people see it. */
export const shownLogin = (row: DeviceLogin): DeviceLogin => ({ ...row, userCode: shownUserCode(row.userCode) })

/** A pending sign-in, or one that this person has decided, so that they may reload the page. */
const loginByCode = statement({
  name: 'device-login-by-code',
  exact: 'in-transaction',
  columns: loginColumns,
  params: { code: param.text(), personId: param.text() },
  text: `select ${loginColumns.sql} from device_logins l
    where l.user_code = :code and l.expires_at > now() and (l.state = 'pending' or l.decided_by = :personId)
    order by l.id desc limit 1`,
})

/** Whether newer sign-ins have displaced it, if it has ended; an SQL expression. */
export const isDisplacedSql = 'l.expires_at <= l.created_at'

const endedColumns = columns({ isDisplaced: column.bool(isDisplacedSql) })
/** A sign-in that ended before anyone decided it. */
const endedByCode = statement({
  name: 'device-login-ended',
  exact: 'in-transaction',
  columns: endedColumns,
  params: { code: param.text() },
  text: `select ${endedColumns.sql} from device_logins l where l.user_code = :code and l.state = 'pending'
    and l.expires_at <= now()`,
})

const missColumns = columns({ count: column.int4('m.count') })

const missRow = insertInto('user_code_misses as m', {
  accountId: param.text(),
  count: 1,
})

/**
 * Counts a miss before the lookup, so that concurrent guesses are all counted. No row means that there were too many
 * misses.
 */
const chargeMiss = statement({
  name: 'user-code-miss',
  columns: missColumns,
  params: missRow.params,
  text: `${missRow.sql} on conflict (account_id) do update set
      count = case when m.started_at <= now() - interval '${MISS_WINDOW_SECONDS} seconds' then 1 else m.count + 1 end,
      started_at = case when m.started_at <= now() - interval '${MISS_WINDOW_SECONDS} seconds' then now()
        else m.started_at end
      where m.count < ${MAX_MISSES} or m.started_at <= now() - interval '${MISS_WINDOW_SECONDS} seconds'
    returning ${missColumns.sql}`,
})
const leftColumns = columns({
  seconds: column.int4(`greatest(1, ceil(extract(epoch from m.started_at - now()) + ${MISS_WINDOW_SECONDS}))::int`),
})
const waitOf = statement({
  name: 'user-code-wait',
  exact: 'in-transaction',
  columns: leftColumns,
  params: { personId: param.text() },
  text: `select ${leftColumns.sql} from user_code_misses m where m.account_id = :personId`,
})
const refundMiss = statement({
  name: 'user-code-hit',
  params: { personId: param.text() },
  text: 'update user_code_misses set count = greatest(0, count - 1) where account_id = :personId',
})

/**
 * The sign-in that a person names by its code. Errors: 401, 403 for every key, 404 for a code that is unknown, that has
 * ended or that is another person's, 429 `rate.limited` after too many unknown codes.
 */
export async function findDeviceLogin(
  ctx: RequestContext,
  input: { readonly userCode: string },
): Promise<DeviceLogin & { readonly personId: string }> {
  const { personId } = assertSession(ctx.viewer)
  const found = await loginOf(ctx.deps.db, personId, input.userCode)
  if (found instanceof HubError) throw found
  return { ...shownLogin(found), personId }
}

/** 404 for a sign-in that ended before anyone decided it; null if there is none under this code. */
export async function endedLogin(tx: Tx, text: string): Promise<HubError | null> {
  const code = readUserCode(text)
  const [ended] = code === null ? [] : await tx.query(endedByCode, { code })
  if (code === null || !ended) return null
  const why = ended.isDisplaced ? 'newer sign-ins from the same network took its place' : 'it was not decided in time'
  return new HubError(
    'not_found',
    `The sign-in ${shownUserCode(code)} has ended: ${why}. Run \`hub login\` again for a new code.`,
  )
}

/** 404: the same error for a code that was never given out and one that another person decided. */
export function unknownCode(text: string): HubError {
  const detail = `No sign-in waits under the code ${JSON.stringify(text.slice(0, 32))}: it is mistyped or no longer valid. Run \`hub login\` again for a new one.`
  return new HubError('not_found', detail)
}

/** The error is returned, not thrown, so that what it cost is stored. */
async function loginOf(db: Db, personId: string, text: string): Promise<DeviceLogin | HubError> {
  const code = readUserCode(text)
  // Text that cannot be a code does not count as a guess.
  if (code === null) return unknownCode(text)
  return db.withTx(async (tx) => {
    const [charged] = await tx.query(chargeMiss, { accountId: personId })
    if (!charged) {
      const [left] = await tx.query(waitOf, { personId })
      throw tooManyMisses(left?.seconds ?? 1)
    }
    const [row] = await tx.query(loginByCode, { code, personId })
    const found = row ?? (await endedLogin(tx, text))
    // A code that was given out is not a guess.
    if (found) await tx.query(refundMiss, { personId })
    return found ?? unknownCode(text)
  })
}

function tooManyMisses(seconds: number): HubError {
  const detail = `You have entered ${MAX_MISSES} unknown codes; wait ${Math.ceil(seconds / 60)} minutes, then start \`hub login\` again.`
  const facts = { unit: 'codes', limit: MAX_MISSES, used: MAX_MISSES, retryAfterS: seconds }
  return new HubError('rate.limited', detail, { facts })
}
