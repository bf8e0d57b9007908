/** Serves a model: the price is shown before anything is created. */

import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, useRef, useState } from 'react'
import { type CombinedError, useMutation } from 'urql'
import { useLocation } from 'wouter'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { bytes, count, money } from '../../ui/format.ts'
import { faultOf } from '../../ui/problem.ts'
import { FormError } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { CapLeft } from '../spend/cap-left.tsx'
import { type EstimateEndpointMutation, estimateEndpointMutation, serveModelMutation } from './endpoints.graphql.ts'
import { type ServeRequests, serveRequests } from './serve-input.ts'

interface Props {
  /** Handles of the accounts that the person acts for. */
  readonly owners: readonly string[]
  /** Full name of the model, chosen in advance. */
  readonly model: string | null
  readonly isOpen: boolean
  readonly close: () => void
}

const fields = ['modelRepo', 'name', 'owner', 'executor', 'maxHours', 'hours', 'budgetUsd', 'params']

type Estimate = NonNullable<EstimateEndpointMutation['estimateEndpoint']>

export function ServeModel({ owners, model, isOpen, close }: Props) {
  const [estimated, ask] = useMutation(estimateEndpointMutation)
  const [served, serve] = useMutation(serveModelMutation)
  const [offer, setOffer] = useState<{ readonly estimate: Estimate; readonly requests: ServeRequests } | null>(null)
  /** Counts changes of the form. */
  const changes = useRef(0)
  const withoutOffer = () => {
    changes.current += 1
    setOffer(null)
  }
  const [, go] = useLocation()
  /** Of the last request: a refusal to serve is no answer to what is priced after it. */
  const [error, setError] = useState<CombinedError>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (offer === null) {
      const requests = serveRequests(new FormData(event.currentTarget))
      const asked = changes.current
      const answer = await ask({ input: requests.estimate })
      setError(answer.error)
      const { data } = answer
      // What was changed meanwhile has another price.
      if (asked === changes.current && data?.estimateEndpoint) setOffer({ estimate: data.estimateEndpoint, requests })
      return
    }
    const created = await serve({ input: offer.requests.create })
    setError(created.error)
    const result = created.data?.createEndpoint?.result
    if (result) go(pagePath(result.__typename === 'SpendHold' ? 'hold' : 'endpoint', { id: result.id }))
  }
  const end = () => {
    withoutOffer()
    close()
  }
  return (
    <Dialog title="Serve a model" isOpen={isOpen} close={end}>
      {/* A price is for what was asked: with another request it has to be asked for again. */}
      <form className="stack" onSubmit={submit} onChange={withoutOffer}>
        {error && <FormError error={error} fields={fields} />}
        <RequestFields owners={owners} model={model} error={error} />
        {offer && <Offer estimate={offer.estimate} owner={offer.requests.create.owner ?? owners[0] ?? ''} />}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={end}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={estimated.fetching || served.fetching}>
            {offer ? 'Serve model' : 'Show the price'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface FieldsProps extends Pick<Props, 'owners' | 'model'> {
  readonly error: CombinedError | undefined
}

/** What is served, where, for whom, and for how long and how much at most. */
function RequestFields({ owners, model, error }: FieldsProps) {
  return (
    <>
      <Field label="Model" hint="Its repo, as OWNER/NAME." fault={faultOf(error, 'modelRepo')}>
        <input name="model" required defaultValue={model ?? ''} autoComplete="off" />
      </Field>
      <Field label="Name" hint="For people. Optional." fault={faultOf(error, 'name')}>
        <input name="name" autoComplete="off" />
      </Field>
      {owners.length > 1 && (
        <Field label="Billed to" fault={faultOf(error, 'owner')}>
          <select name="owner">
            {owners.map((handle) => (
              <option key={handle}>{handle}</option>
            ))}
          </select>
        </Field>
      )}
      <Field label="Where" fault={faultOf(error, 'executor')}>
        <select name="executor" defaultValue="WORKER">
          <option value="WORKER">On a machine of yours: not charged</option>
          <option value="HOSTED">On a hosted machine</option>
        </select>
      </Field>
      <Field
        label="Hours at most"
        hint="The hub ends it then. Runs until you stop it if empty."
        fault={faultOf(error, 'maxHours') ?? faultOf(error, 'hours')}
      >
        <input name="hours" type="number" min="0" step="any" />
      </Field>
      <Field label="Budget in USD" hint="It ends when this is spent. Optional." fault={faultOf(error, 'budgetUsd')}>
        <input name="budget" type="number" min="0" step="any" />
      </Field>
      <Field label="Parameters" hint="Where the model's files do not say." fault={faultOf(error, 'params')}>
        <input name="params" type="number" min="1" step="1" />
      </Field>
    </>
  )
}

function Offer({ estimate, owner }: { readonly estimate: Estimate; readonly owner: string }) {
  const { artifact, reservation } = estimate
  return (
    <section className="panel" role="status" aria-label="Price">
      <dl className="facts">
        <dt>Serves</dt>
        <dd>
          <span className="mono">{artifact.path || 'the checkpoint at the root'}</span>, {bytes(artifact.bytes)},{' '}
          {count(estimate.params)} parameters
        </dd>
        <dt>Hardware</dt>
        <dd>{estimate.tier}</dd>
        <dt>Price</dt>
        <dd>
          {estimate.priced ? (
            <>
              {money(estimate.rateUsdPerHour)} an hour; at most {money(estimate.costUsdMax)} for {estimate.hours} h
              {estimate.cappedByBudget && ', which the budget limits'}
            </>
          ) : (
            'Not charged: it runs on a machine of yours.'
          )}
        </dd>
        {reservation && (
          <>
            <dt>Reserved now</dt>
            <dd>
              {money(reservation.amountUsd)}
              {reservation.coversTo && (
                <>
                  , until <Time at={reservation.coversTo} />
                </>
              )}
            </dd>
          </>
        )}
      </dl>
      {estimate.priced && <CapLeft account={owner} reserveUsd={reservation?.amountUsd ?? estimate.costUsdMax} />}
      {estimate.notes.map((note) => (
        <p key={note} className="dim small">
          {note}
        </p>
      ))}
    </section>
  )
}
