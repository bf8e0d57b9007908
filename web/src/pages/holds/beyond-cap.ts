/** Whether a hold can cost more than what the cap of its account leaves of the month. Pure. */
import { money } from '../../ui/format.ts'
import type { HoldQuery } from './holds.graphql.ts'

type Hold = Pick<NonNullable<HoldQuery['spendHold']>, 'reserveUsd' | 'cap'> & {
  readonly account: { readonly handle: string }
}

/** What follows, as the hub will say when it is approved; null where there is room, or no cap. */
export function beyondCap({ reserveUsd, cap: { limitUsd, mode, monthUsd }, account: { handle } }: Hold): string | null {
  if (limitUsd === null) return null
  const isBeyond = monthUsd + reserveUsd > limitUsd
  if (mode === 'NOTIFY' && isBeyond)
    return `It may pass the cap of ${handle}: ${money(leftOf(limitUsd, monthUsd))} of ${money(limitUsd)} is left. The owners are told, and it starts.`
  if (mode === 'STOP' && (isBeyond || limitUsd === 0))
    return `It cannot start now: of the cap of ${handle}, ${money(limitUsd)} a month, ${money(leftOf(limitUsd, monthUsd))} is left. An owner may raise the cap.`
  return null
}

const leftOf = (limitUsd: number, monthUsd: number) => Math.max(0, limitUsd - monthUsd)
