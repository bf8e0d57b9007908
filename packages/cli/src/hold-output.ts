/** Text output of spend holds and of a month's spend. */
import type { RemoteHold, RemoteSpend } from '@hub/client/internal'
import { inLine } from './terminal.ts'

const usd = (amount: number) => `${amount.toFixed(4)} USD`
const lines = (rows: readonly (readonly [string, string | null])[]) =>
  rows.flatMap(([name, value]) => (value === null ? [] : [`${inLine(`${name.padEnd(10)} ${value}`)}\n`])).join('')

/** One line of a list. */
export function holdRow({ id, status, reserve_usd, account, summary }: RemoteHold): string {
  return `${inLine(`${id}  ${status.padEnd(8)} ${usd(reserve_usd).padStart(14)}  ${account.handle}  ${summary}`)}\n`
}

/** One hold: what was asked, what it would cost, and what became of it. */
export function holdText(hold: RemoteHold): string {
  const { cap } = hold
  const limit = cap.mode === null ? '' : ` of ${usd(cap.limit_usd ?? 0)} (${cap.mode})`
  return lines([
    ['hold', hold.id],
    ['status', hold.status],
    ['request', hold.summary],
    ['account', hold.account.handle],
    ['filed by', hold.filed_by.name],
    ['at most', usd(hold.reserve_usd)],
    ['month', `${usd(cap.month_usd)}${limit}`],
    ['expires', hold.status === 'pending' ? hold.expires_at : null],
    ['decided by', hold.decided_by?.handle ?? null],
    ['reason', hold.reason],
    ['result', hold.result_id],
  ])
}

/** What an agent reads whose request was held. */
export function heldText(hold: RemoteHold): string {
  return `${holdText(hold)}A person of ${inLine(hold.account.handle)} has to approve it: hub holds approve ${hold.id}\n`
}

/** A month of an account. */
export function spendText(spend: RemoteSpend): string {
  const { cap, allowance, allowance_limit_usd: limit } = spend
  const kinds = spend.kinds.map(({ kind, recorded_usd, reserved_usd, under_way }): [string, string] => [
    kind.replace('_', ' '),
    `${usd(recorded_usd)}${under_way > 0 ? `, and up to ${usd(reserved_usd)} for ${under_way} in progress` : ''}`,
  ])
  return lines([
    ['account', spend.account.handle],
    ['month', spend.month],
    ...kinds,
    ['recorded', usd(spend.recorded_usd)],
    ['reserved', usd(spend.reserved_usd)],
    [
      'cap',
      cap
        ? `${usd(cap.limit_usd)} (${cap.mode})${spend.cap_passed_at ? `, passed at ${spend.cap_passed_at}` : ''}`
        : 'none',
    ],
    ['allowance', allowance && limit !== null ? `${usd(allowance.remaining_usd)} left of ${usd(limit)}` : null],
  ])
}
