/** What waits and what is in progress in each of the person's accounts, as numbers that lead to the lists. */
import { Link } from '../../app/navigate.tsx'
import { Live } from '../../ui/live.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { checksChangedSubscription } from '../checks/checks.graphql.ts'
import { endpointsChangedSubscription } from '../endpoints/endpoints.graphql.ts'
import { runsChangedSubscription } from '../runs/runs.graphql.ts'
import { type CountsQuery, countsQuery } from './counts.graphql.ts'
import { numbersOf } from './numbers.ts'

type Account = NonNullable<CountsQuery['viewer']>['account']

/** Nothing for a key that may not count. */
export function AccountNumbers({ owners }: { readonly owners: readonly string[] }) {
  const [answer, refresh] = useReading({ query: countsQuery })
  const { value: viewer, error } = rootField(answer, 'viewer')
  const accounts = viewer ? [viewer.account, ...viewer.orgs] : []
  const counted = accounts.filter(({ counts }) => counts)
  return (
    <>
      <Live query={runsChangedSubscription} owners={owners} changed={refresh} />
      <Live query={checksChangedSubscription} owners={owners} changed={refresh} />
      <Live query={endpointsChangedSubscription} owners={owners} changed={refresh} />
      {error && <ErrorNotice error={error} retry={refresh} />}
      {counted.length > 0 && (
        <section className="panel" aria-label="In numbers">
          <dl className="facts">
            {counted.map((account) => (
              <AccountRow key={account.id} account={account} />
            ))}
          </dl>
        </section>
      )}
    </>
  )
}

function AccountRow({ account: { handle, counts } }: { readonly account: Account }) {
  const numbers = counts ? numbersOf(counts) : []
  return (
    <>
      <dt>
        <Link to="account" params={{ handle }}>
          {handle}
        </Link>
      </dt>
      <dd>
        {numbers.length === 0 && <span className="dim">No work in progress.</span>}
        {numbers.map(({ list, status, text }, at) => (
          <span key={text}>
            {at > 0 && ' · '}
            <Link to={list} params={{}} query={status ? { status } : {}}>
              {text}
            </Link>
          </span>
        ))}
      </dd>
    </>
  )
}
