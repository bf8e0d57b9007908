/** Beside a price: what the cap of the account leaves of the month, before anything is created. */
import { useMemo } from 'react'
import { Link } from '../../app/navigate.tsx'
import { money } from '../../ui/format.ts'
import { rootField } from '../../ui/root-field.ts'
import { useReading } from '../../ui/use-reading.ts'
import { beyondCap, budgetThatFits, leftOf } from './beyond-cap.ts'
import { capLeftQuery } from './cap.graphql.ts'

interface Props {
  /** Handle of the account that is billed. */
  readonly account: string
  /** What creating it reserves, in US dollars. */
  readonly reserveUsd: number
}

/** Nothing where there is no cap, or where it cannot be read: the hub compares again when it is created. */
export function CapLeft({ account, reserveUsd }: Props) {
  const variables = useMemo(() => ({ account }), [account])
  // What was left at an earlier price is no answer to this one.
  const [answer] = useReading({ query: capLeftQuery, variables, requestPolicy: 'network-only' })
  const { value: summary } = rootField(answer, 'spendSummary')
  if (!summary?.cap) return null
  const { monthUsd, cap } = summary
  const budget = budgetThatFits(cap.limitUsd, monthUsd)
  const beyond = beyondCap({ reserveUsd, cap: { ...cap, monthUsd }, account: { handle: account } })
  if (beyond === null)
    return (
      <p className="dim">
        {money(leftOf(cap.limitUsd, monthUsd))} is left of the cap of {account}, {money(cap.limitUsd)} a month.
      </p>
    )
  return (
    <p className="notice">
      {beyond}
      {cap.mode === 'STOP' && budget !== null && ` A budget of ${money(budget)} or less fits.`}{' '}
      <Link to="spend" params={{}} query={{ account }}>
        Spend of {account}
      </Link>
    </p>
  )
}
