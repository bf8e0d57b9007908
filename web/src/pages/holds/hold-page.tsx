/** One hold: who asks, what for, the most it can cost; and the decision. */
import { useState } from 'react'
import { useMutation, useSubscription } from 'urql'
import { Link } from '../../app/navigate.tsx'
import { Action } from '../../ui/action.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { money, words } from '../../ui/format.ts'
import { NotThere } from '../../ui/not-there.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { faultOf, messageOf } from '../../ui/problem.ts'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { beyondCap } from '../spend/beyond-cap.ts'
import {
  approveHoldMutation,
  denyHoldMutation,
  type HoldQuery,
  holdChangedSubscription,
  holdQuery,
} from './holds.graphql.ts'

type Hold = NonNullable<HoldQuery['spendHold']>

export function Page({ params: { id } }: { readonly params: { readonly id: string } }) {
  const [answer, again] = useReading({ query: holdQuery, variables: { id } })
  const [{ data: change }] = useSubscription({ query: holdChangedSubscription, variables: { id } })
  const field = rootField(answer, 'spendHold')
  if (!field.value) return <NotThere what="approval" field={field} retry={again} />
  const hold: Hold = { ...field.value, ...change?.spendHoldUpdated }
  const beyond = hold.status === 'PENDING' ? beyondCap(hold) : null
  return (
    <>
      <PageHeader title={hold.summary} about={<Status of={hold.status} />}>
        {hold.status === 'PENDING' && (
          <>
            <Action
              mutation={approveHoldMutation}
              variables={{ input: { holdId: id } }}
              title="Approve"
              done="Approved: it starts now."
              className="button primary"
              finished={again}
            >
              <p>
                It starts at once and may cost {hold.account.handle} up to {money(hold.reserveUsd)}.
              </p>
              {beyond && <p className="notice">{beyond}</p>}
            </Action>
            <Deny id={id} finished={again} />
          </>
        )}
      </PageHeader>
      <div className="stack">
        {field.error && <ErrorNotice error={field.error} retry={again} />}
        {beyond && (
          <p className="notice">
            {beyond}{' '}
            <Link to="spend" params={{}} query={{ account: hold.account.handle }}>
              Spend of {hold.account.handle}
            </Link>
          </p>
        )}
        <Facts hold={hold} />
        <section className="panel" aria-label="Request">
          <h2>What was asked for</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long request scrolls by keyboard */}
          <pre className="source" tabIndex={0}>
            {JSON.stringify(hold.request, null, 2)}
          </pre>
        </section>
      </div>
    </>
  )
}

function Facts({ hold }: { readonly hold: Hold }) {
  const left = hold.cap.limitUsd === null ? null : hold.cap.limitUsd - hold.cap.monthUsd
  return (
    <section className="panel" aria-label="Facts">
      <dl className="facts">
        <dt>Asked by</dt>
        <dd>{hold.filedBy.name}</dd>
        <dt>Kind</dt>
        <dd>{words(hold.kind)}</dd>
        <dt>Billed to</dt>
        <dd>{hold.account.handle}</dd>
        <dt>Estimate</dt>
        <dd>{money(hold.estimateUsd)}</dd>
        <dt>At most</dt>
        <dd>
          <strong>{money(hold.reserveUsd)}</strong>
        </dd>
        <dt>This month</dt>
        <dd>
          {money(hold.cap.monthUsd)} so far
          {left !== null && <span className="dim">, {money(left)} left of the cap</span>}
        </dd>
        <dt>{hold.status === 'PENDING' ? 'Expires' : 'Decided'}</dt>
        <dd>
          <Time at={hold.status === 'PENDING' ? hold.expiresAt : hold.decidedAt} />
          {hold.decidedBy && ` by ${hold.decidedBy.handle}`}
          {hold.reason && <span className="dim">: {hold.reason}</span>}
        </dd>
        {hold.result && (
          <>
            <dt>Became</dt>
            <dd>
              <Result result={hold.result} />
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

const pageOf = { Run: 'run', RobotCheck: 'check', Endpoint: 'endpoint' } as const

function Result({ result }: { readonly result: NonNullable<Hold['result']> }) {
  return (
    <Link to={pageOf[result.__typename]} params={{ id: result.id }}>
      The {pageOf[result.__typename]}
    </Link>
  )
}

/** A denial says why: the agent reads it. */
function Deny({ id, finished }: { readonly id: string; readonly finished: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const [{ fetching, error }, deny] = useMutation(denyHoldMutation)
  const toast = useToast()
  const act = async () => {
    const answer = await deny({ input: { holdId: id, reason } })
    if (answer.error) return toast(messageOf(answer.error))
    setOpen(false)
    toast('Denied.')
    finished()
  }
  return (
    <>
      <button type="button" className="button danger" onClick={() => setOpen(true)}>
        Deny
      </button>
      <Dialog title="Deny" isOpen={isOpen} close={() => setOpen(false)}>
        <Field label="Reason" hint="The agent is told." fault={faultOf(error, 'reason')}>
          <textarea rows={3} maxLength={1024} value={reason} onChange={({ target }) => setReason(target.value)} />
        </Field>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => setOpen(false)}>
            Cancel
          </button>
          <button type="button" className="button danger" disabled={fetching || reason.trim() === ''} onClick={act}>
            Deny
          </button>
        </div>
      </Dialog>
    </>
  )
}
