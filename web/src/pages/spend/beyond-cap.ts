/** Whether what is about to start can cost more than the cap of the account leaves of the month. Pure. */
import { money } from '../../ui/format.ts'

interface Wanted {
  /** What it reserves, in US dollars. */
  readonly reserveUsd: number
  readonly cap: {
    /** Null: the account has no cap. */
    readonly limitUsd: number | null
    readonly mode: 'NOTIFY' | 'STOP' | null
    /** Recorded and reserved this month. */
    readonly monthUsd: number
  }
  readonly account: { readonly handle: string }
}

/** What follows, as the hub will say when it starts; null where there is room, or no cap. */
export function beyondCap({
  reserveUsd,
  cap: { limitUsd, mode, monthUsd },
  account: { handle },
}: Wanted): string | null {
  if (limitUsd === null) return null
  // Amounts have four decimals; what floats add to them is no money.
  const isBeyond = Math.round((monthUsd + reserveUsd - limitUsd) * 10_000) > 0
  if (mode === 'NOTIFY' && isBeyond)
    return `It may pass the cap of ${handle}: ${money(leftOf(limitUsd, monthUsd))} of ${money(limitUsd)} is left. The owners are told, and it starts.`
  if (mode === 'STOP' && (isBeyond || limitUsd === 0))
    return `It cannot start now: of the cap of ${handle}, ${money(limitUsd)} a month, ${money(leftOf(limitUsd, monthUsd))} is left. An owner may raise the cap.`
  return null
}

/** What a cap leaves of the month, in US dollars; 0 where it is passed. */
export const leftOf = (limitUsd: number, monthUsd: number) => Math.max(0, limitUsd - monthUsd)

/** The greatest budget in whole cents that a cap still has room for; null where it has none. */
export function budgetThatFits(limitUsd: number, monthUsd: number): number | null {
  const cents = Math.floor(Math.round(leftOf(limitUsd, monthUsd) * 10_000) / 100)
  return cents > 0 ? cents / 100 : null
}
