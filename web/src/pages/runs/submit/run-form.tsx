/** The form that submits a run: what is asked is priced first, and a change asks for the price again. */
import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, useRef, useState } from 'react'
import type { CombinedError } from 'urql'
import { useLocation } from 'wouter'
import { faultOf } from '../../../ui/problem.ts'
import { FormError } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { HyperparamsFields, type Template } from './hyperparams-fields.tsx'
import { KeptFields } from './kept-fields.tsx'
import { PlaceFields, type Tier } from './place-fields.tsx'
import { placedFields, type RunDraft, type RunRequest, requestOf } from './run-draft.ts'
import { RunOffer } from './run-offer.tsx'
import { type PlanRunMutation, planRunMutation, type RunToRepeatQuery, submitRunMutation } from './submit.graphql.ts'
import { useExact } from './use-exact.ts'
import { WhatFields } from './what-fields.tsx'

interface Props {
  /** What stands in the form at first. */
  readonly first: RunDraft
  /** The run whose settings these are. */
  readonly from: RunToRepeatQuery['run']
  readonly templates: readonly Template[]
  readonly tiers: readonly Tier[]
  readonly isHosting: boolean
  /** Full names to choose from. */
  readonly datasets: readonly string[]
  readonly robots: readonly string[]
  /** Handles of the accounts that the person acts for. */
  readonly owners: readonly string[]
}

/** A price with what it is for. */
interface Offer {
  readonly plan: PlanRunMutation
  readonly request: RunRequest
}

export function RunForm({ first, from, templates, tiers, isHosting, datasets, robots, owners }: Props) {
  const [draft, setDraft] = useState(first)
  const latest = useRef(draft)
  latest.current = draft
  const [offer, setOffer] = useState<Offer | null>(null)
  const [planned, plan] = useExact(planRunMutation)
  const [submitted, submit] = useExact(submitRunMutation)
  const [, go] = useLocation()
  const toast = useToast()
  /** Of the last request: a refusal to submit is no answer to what is priced after it. */
  const [error, setError] = useState<CombinedError>()
  const change = (part: Partial<RunDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    setOffer(null)
  }
  const fault = (name: (typeof placedFields)[number]) => faultOf(error, name)
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (offer?.plan.estimateRun) {
      const created = await submit({ input: offer.request })
      setError(created.error)
      const result = created.data?.createRun?.result
      if (!result) return
      const isHeld = result.__typename === 'SpendHold'
      toast(isHeld ? 'Held: it starts when a person approves it.' : 'Submitted.')
      go(pagePath(isHeld ? 'hold' : 'run', { id: result.id }))
      return
    }
    const request = requestOf(draft, from)
    if (request === null) return
    const answer = await plan({ estimate: request, recommend: request })
    setError(answer.error)
    const { data } = answer
    // What was changed meanwhile has another price.
    if (latest.current !== draft) return
    if (data?.estimateRun || data?.recommendRun) setOffer({ plan: data, request })
  }
  const isPriced = Boolean(offer?.plan.estimateRun)
  const hasFields = { draft, change, fault }
  return (
    <form className="stack form" onSubmit={send} aria-label="New run">
      {error && <FormError error={error} fields={placedFields} />}
      <WhatFields {...hasFields} templates={templates} datasets={datasets} robots={robots} from={from} />
      <HyperparamsFields
        template={templates.find(({ name }) => name === draft.template)}
        text={draft.hyperparams}
        fault={fault('hyperparams')}
        change={(hyperparams) => change({ hyperparams })}
      />
      <PlaceFields {...hasFields} tiers={tiers} isHosting={isHosting} owners={owners} />
      <KeptFields {...hasFields} />
      {offer && (
        <RunOffer
          estimate={offer.plan.estimateRun ?? null}
          recommendation={offer.plan.recommendRun ?? null}
          owner={draft.owner}
          take={(gpu) => change({ gpu })}
        />
      )}
      <div className="row">
        <button
          type="submit"
          className="button primary"
          disabled={planned.fetching || submitted.fetching || requestOf(draft, from) === null}
        >
          {isPriced ? 'Submit run' : 'Show the price'}
        </button>
        {!isPriced && <span className="dim small">Nothing is created yet.</span>}
      </div>
    </form>
  )
}
