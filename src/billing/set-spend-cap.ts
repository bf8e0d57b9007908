/** setSpendCap (contract, "What an account spends"): what an account's hosted work may cost in a calendar month. */

import { findAccount } from '../accounts/find-account.ts'
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { assertStillInOrg } from '../accounts/org-members.ts'
import { assertOrgOwner, assertSession } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AccountRef, RequestContext } from '../operation/context.ts'
import { invalid } from '../platform/errors.ts'
import { type Usd, usd } from '../platform/money.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { capOf, readSpendMonth, type SpendCap, type SpendCapMode } from './spend-month.ts'
import { type SpendSummary, summaryOf } from './spend-summary.ts'

export interface SetSpendCapInput {
  /** Handle; absent: the person's own account. */
  readonly account?: string | null
  /** Null removes the cap. */
  readonly usd?: number | null
  /** Required with `usd`, and only then. */
  readonly mode?: SpendCapMode | null
}

const idColumn = columns({ id: column.text('id') })
const writeCap = statement({
  name: 'account-spend-cap',
  columns: idColumn,
  params: { accountId: param.text(), limitUsd: param.numeric.orNull<Usd>(), mode: param.enum.orNull('SpendCapMode') },
  text: `update accounts set spend_cap_usd = :limitUsd::numeric, spend_cap_mode = :mode::"SpendCapMode"
    where id = :accountId returning ${idColumn.sql}`,
})

/**
 * Replaces or removes the cap. Work in progress continues, even if the month is past the new cap. Errors: 401, 403 for
 * every key and for every member of an org who is not an owner, 404, 422 for a mode without an amount or an amount
 * without a mode.
 */
export function setSpendCap(ctx: RequestContext, input: SetSpendCapInput): Promise<SpendSummary> {
  const cap = capOfInput(input)
  return guarded(
    ctx,
    async () => {
      const session = assertSession(ctx.viewer)
      const { account: handle = null } = input
      const account = handle === null ? session.account : await findAccount(ctx.deps.db, handle)
      return { account, personId: assertOrgOwner(session, account).personId }
    },
    async (allowed, { account, personId }) => {
      await commitVerb(allowed, (tx) => write({ ctx: allowed, tx, account, personId, cap }))
      return summaryOf(allowed, account, null)
    },
  )
}

function capOfInput({ usd: amount = null, mode = null }: SetSpendCapInput): SpendCap | null {
  if (amount === null && mode === null) return null
  if (amount === null)
    throw invalid('validation.required', 'A cap needs an amount; to remove the cap, leave out `mode` too.', ['usd'])
  if (mode === null) throw invalid('validation.required', 'Set `mode` to notify or stop.', ['mode'])
  return { mode, limitUsd: usd(amount) }
}

const modeInSql = { notify: 'NOTIFY', stop: 'STOP' } as const

/** Takes the same lock as reservations, so that none is checked against the old cap after the change. */
async function write({
  ctx,
  tx,
  account,
  personId,
  cap,
}: {
  readonly ctx: RequestContext
  readonly tx: Tx
  readonly account: AccountRef
  readonly personId: string
  readonly cap: SpendCap | null
}) {
  await lockAccounts(tx, [account.id])
  if (account.kind === 'org') await assertStillInOrg(tx, account, personId, 'owner')
  const before = capOf(await readSpendMonth(tx, account.id))
  await tx.query(writeCap, {
    accountId: account.id,
    limitUsd: cap?.limitUsd ?? null,
    mode: cap ? modeInSql[cap.mode] : null,
  })
  const change = { before: { cap: before }, after: { cap } }
  await audit(tx, ctx, { action: 'spend.cap', accountId: account.id, targetId: account.id, ...change })
}
