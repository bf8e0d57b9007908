/** approveDeviceLogin and denyDeviceLogin: the decision of a person in a browser. */
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import {
  type DeviceLogin,
  type DeviceLoginState,
  endedLogin,
  findDeviceLogin,
  loginColumns,
  loginMoves,
  shownLogin,
  unknownCode,
} from './device-login.ts'

interface CodeInput {
  readonly userCode: string
}
type Decision = 'approve' | 'deny'

/** Compare-and-set: of two concurrent decisions, only one finds the sign-in pending. */
const deciding = (decision: Decision) =>
  statement({
    name: `device-login-${decision}`,
    columns: loginColumns,
    params: { id: param.text(), personId: param.text() },
    text: `update device_logins l set state = '${loginMoves[decision].to}', decided_at = now(), decided_by = :personId
    where l.id = :id and l.state = '${loginMoves[decision].from}' and l.expires_at > now()
      returning ${loginColumns.sql}`,
  })
const decide = { approve: deciding('approve'), deny: deciding('deny') }
const decidedByMe = statement({
  name: 'device-login-decided',
  exact: 'in-transaction',
  columns: loginColumns,
  params: { id: param.text(), personId: param.text() },
  text: `select ${loginColumns.sql} from device_logins l where l.id = :id and l.decided_by = :personId
    and l.expires_at > now()`,
})

/**
 * Approves a sign-in; the key is created at the program's next poll. A repeat is no error. Errors: 401, 403 for every
 * key, 404, 409 `conflict.device_login_decided`, 429.
 */
export const approveDeviceLogin = (ctx: RequestContext, input: CodeInput): Promise<DeviceLogin> =>
  decideLogin(ctx, input, 'approve', ['approved', 'consumed'])

/** Denies a sign-in. A repeat is no error. Errors as for `approveDeviceLogin`. */
export const denyDeviceLogin = (ctx: RequestContext, input: CodeInput): Promise<DeviceLogin> =>
  decideLogin(ctx, input, 'deny', ['denied'])

/** `same`: the states in which a repeat of this decision by the same person succeeds. */
function decideLogin(
  ctx: RequestContext,
  input: CodeInput,
  decision: Decision,
  same: readonly DeviceLoginState[],
): Promise<DeviceLogin> {
  return guarded(
    ctx,
    () => findDeviceLogin(ctx, input),
    (allowed, { id, personId }) =>
      commitVerb(allowed, async (tx) => {
        const [decided] = await tx.query(decide[decision], { id, personId })
        if (!decided) return shownLogin(await earlier(tx, { id, personId, same, input }))
        await record(tx, allowed, decided, personId)
        return shownLogin(decided)
      }),
  )
}

async function earlier(
  tx: Tx,
  { id, personId, same, input }: { id: string; personId: string; same: readonly DeviceLoginState[]; input: CodeInput },
): Promise<DeviceLogin> {
  const [mine] = await tx.query(decidedByMe, { id, personId })
  if (!mine) throw (await endedLogin(tx, input.userCode)) ?? unknownCode(input.userCode)
  if (same.includes(mine.state)) return mine
  const was = mine.state === 'denied' ? 'denied' : 'approved'
  throw new HubError(
    'conflict.device_login_decided',
    `You have ${was} this sign-in, which is final.${was === 'approved' ? ' Revoke its key instead.' : ''}`,
  )
}

async function record(tx: Tx, ctx: AllowedContext, login: DeviceLogin, personId: string): Promise<void> {
  const { id: targetId, name, scope, keyTtlSeconds, address } = login
  const action = login.state === 'denied' ? 'device_login.deny' : 'device_login.approve'
  await audit(tx, ctx, { action, accountId: personId, targetId, after: { name, scope, keyTtlSeconds, address } })
}
