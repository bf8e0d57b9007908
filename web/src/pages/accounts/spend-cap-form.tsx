/** The spend of an account this month, and its cap. */
import { Link } from '../../app/navigate.tsx'
import { money } from '../../ui/format.ts'
import { CapForm } from '../spend/cap-form.tsx'
import type { OrgQuery } from './orgs.graphql.ts'

interface Props {
  readonly account: string
  readonly spend: NonNullable<NonNullable<OrgQuery['account']>['spend']>
  readonly canChange: boolean
  readonly changed: () => void
}

export function SpendCapForm({ account, spend, canChange, changed }: Props) {
  const { cap, monthUsd, reservedUsd } = spend
  return (
    <section className="panel stack">
      <h2>Spend</h2>
      <p>
        {money(monthUsd)} this month, {money(reservedUsd)} of it reserved by work in progress.{' '}
        {cap ? `Cap: ${money(cap.limitUsd)}.` : 'No cap.'}{' '}
        <Link to="spend" params={{}} query={{ account }}>
          Spend by month
        </Link>
      </p>
      {canChange && <CapForm account={account} cap={cap} monthUsd={monthUsd} changed={changed} />}
    </section>
  )
}
