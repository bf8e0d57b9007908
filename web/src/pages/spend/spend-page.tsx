/** What an account spent in a month, its cap, and each row of the ledger. */
import { useMemo } from 'react'
import { Link, useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { count, duration, money, words } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { rootField } from '../../ui/root-field.ts'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { useReading } from '../../ui/use-reading.ts'
import { SignInFirst } from '../accounts/sign-in-first.tsx'
import { CapForm } from './cap-form.tsx'
import { type SpendQuery, type SpendQueryVariables, spendQuery, tiersQuery } from './spend.graphql.ts'

export function Page() {
  const { viewer } = useSession()
  return (
    <SignInFirst title="Spend">
      <Spend accounts={accountsOf(viewer)} />
    </SignInFirst>
  )
}

function Spend({ accounts }: { readonly accounts: readonly string[] }) {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('account')
  const account = accounts.find((one) => one === asked) ?? accounts[0] ?? ''
  const month = /^\d{4}-\d{2}$/.test(search.get('month') ?? '') ? search.get('month') : null
  const variables = useMemo<SpendQueryVariables>(() => ({ account, month }), [account, month])
  const pages = usePages({ query: spendQuery, variables, field: 'ledger', select: itself, isFresh: true })
  const set = (name: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  const { value: summary, error } = rootField(pages.first, 'spendSummary')
  return (
    <>
      <PageHeader title="Spend" about="By month, in US dollars">
        <select aria-label="Account" value={account} onChange={({ target }) => set('account', target.value)}>
          {accounts.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <input
          type="month"
          aria-label="Month"
          value={month ?? summary?.month ?? ''}
          onChange={({ target }) => set('month', target.value)}
        />
      </PageHeader>
      <div className="stack">
        {error && <ErrorNotice error={error} retry={pages.refresh} />}
        {summary === undefined && !error && <Loading />}
        {summary && (
          <>
            <Totals summary={summary} />
            <section className="panel stack" aria-label="Cap">
              <h2>Cap</h2>
              <CapForm
                key={account}
                account={account}
                cap={summary.cap}
                monthUsd={month === null ? summary.monthUsd : 0}
                changed={pages.refresh}
              />
            </section>
          </>
        )}
        {/* What is wrong with the whole request was said above. */}
        {!(error && pages.error === error) && (
          <PageList pages={pages} empty={<NothingBilled />}>
            <Ledger rows={pages.nodes} />
          </PageList>
        )}
        <Tiers />
      </div>
    </>
  )
}

function Totals({ summary }: { readonly summary: NonNullable<SpendQuery['spendSummary']> }) {
  return (
    <section className="panel stack" aria-label="Totals">
      <dl className="facts">
        <dt>{summary.month}</dt>
        <dd>
          <strong>{money(summary.monthUsd)}</strong>
          <span className="dim">
            : {money(summary.recordedUsd)} recorded, {money(summary.reservedUsd)} reserved by work in progress
          </span>
        </dd>
        {summary.cap && (
          <>
            <dt>Cap</dt>
            <dd>
              {money(summary.cap.limitUsd)},{' '}
              {summary.cap.mode === 'STOP' ? 'nothing starts beyond it' : 'owners are told'}
            </dd>
          </>
        )}
        {summary.allowance && (
          <>
            <dt>Free checks</dt>
            <dd>{money(summary.allowance.remainingUsd)} left of the allowance</dd>
          </>
        )}
      </dl>
      {summary.kinds.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard on a narrow window
        <section className="table-wrap" aria-label="By kind" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>Kind</th>
                <th className="number">Entries</th>
                <th className="number">In progress</th>
                <th className="number">Recorded</th>
                <th className="number">Reserved</th>
              </tr>
            </thead>
            <tbody>
              {summary.kinds.map((kind) => (
                <tr key={kind.kind}>
                  <td>{words(kind.kind)}</td>
                  <td className="number">{count(kind.entries)}</td>
                  <td className="number">{count(kind.underWay)}</td>
                  <td className="number">{money(kind.recordedUsd)}</td>
                  <td className="number">{money(kind.reservedUsd)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  )
}

const pageOf = (jobId: string) => (jobId.startsWith('run_') ? 'run' : jobId.startsWith('check_') ? 'check' : 'endpoint')

function Ledger({ rows }: { readonly rows: NonNullable<SpendQuery['ledger']>['nodes'] }) {
  return (
    <section className="panel flush table-wrap" aria-label="Ledger">
      <table>
        <thead>
          <tr>
            <th>When</th>
            <th>For</th>
            <th>Kind</th>
            <th>Tier</th>
            <th className="number">Time</th>
            <th className="number">Amount</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td className="nowrap">
                <Time at={row.at} />
              </td>
              <td>
                <Link to={pageOf(row.jobId)} params={{ id: row.jobId }}>
                  {words(row.jobKind)}
                </Link>
              </td>
              <td>{words(row.kind)}</td>
              <td>{row.tier ?? '–'}</td>
              <td className="number nowrap">{duration(row.seconds)}</td>
              <td className="number">{money(row.amountUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Tiers() {
  const [answer, again] = useReading({ query: tiersQuery })
  const { value: tiers, error } = rootField(answer, 'hardwareTiers')
  if (!tiers) return error ? <ErrorNotice error={error} retry={again} /> : null
  return (
    <>
      {error && <ErrorNotice error={error} retry={again} />}
      <h2>Prices</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard on a narrow window */}
      <section className="panel flush table-wrap" aria-label="Hardware" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Hardware</th>
              <th>What it is</th>
              <th className="number">GPU memory</th>
              <th className="number">An hour</th>
            </tr>
          </thead>
          <tbody>
            {tiers.items.map((tier) => (
              <tr key={tier.tier}>
                <td className="mono">{tier.tier}</td>
                <td>{tier.description}</td>
                <td className="number">{tier.vramGb} GB</td>
                <td className="number">{money(tier.rateUsdPerHour)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

function NothingBilled() {
  return (
    <Empty title="Nothing was billed yet">
      <p>Hosted runs, checks and endpoints are listed here with what they cost: start one from its page.</p>
    </Empty>
  )
}
