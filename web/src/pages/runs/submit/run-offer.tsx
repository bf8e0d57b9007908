/** What a run would cost and which hardware it needs, before anything is created. */
import { duration, money } from '../../../ui/format.ts'
import { CapLeft } from '../../spend/cap-left.tsx'
import type { PlanRunMutation } from './submit.graphql.ts'

type Estimate = NonNullable<PlanRunMutation['estimateRun']>
type Recommendation = NonNullable<PlanRunMutation['recommendRun']>

interface Props {
  /** Null where the run would be refused. */
  readonly estimate: Estimate | null
  readonly recommendation: Recommendation | null
  /** Handle of the account that it is billed to. */
  readonly owner: string
  /** Takes the recommended hardware into the form. */
  readonly take: (tier: string) => void
}

export function RunOffer({ estimate, recommendation, owner, take }: Props) {
  return (
    <section className="panel stack" role="status" aria-label="Price and recommendation">
      {estimate && <Price estimate={estimate} owner={owner} />}
      {recommendation && <Advice estimate={estimate} recommendation={recommendation} take={take} />}
    </section>
  )
}

function Price({ estimate, owner }: { readonly estimate: Estimate; readonly owner: string }) {
  return (
    <div>
      <h2>Price</h2>
      {estimate.priced ? (
        <>
          <p>
            At most <strong>{money(estimate.costUsdMax)}</strong>: {money(estimate.rateUsdPerHour)} an hour on{' '}
            {estimate.tier}, for {estimate.maxHours} h{estimate.cappedByBudget && ', which the budget limits'}.
          </p>
          <CapLeft account={owner} reserveUsd={estimate.costUsdMax} />
        </>
      ) : (
        <p>Not charged: it runs on a machine of yours.</p>
      )}
    </div>
  )
}

function Advice({
  estimate,
  recommendation,
  take,
}: Omit<Props, 'owner'> & { readonly recommendation: Recommendation }) {
  const { tier, estHours, costUsdEst, priced, vramRequiredGb, why, warnings, implemented } = recommendation
  return (
    <div>
      <h2>Recommended hardware</h2>
      <p>
        {tier === null ? 'No hardware here has the memory that it needs' : <strong>{tier}</strong>}:{' '}
        {vramRequiredGb.toFixed(1)} GB of GPU memory
        {estHours !== null && <>, about {duration(estHours * 3600)}</>}
        {priced && costUsdEst !== null && <>, about {money(costUsdEst)}</>}.
      </p>
      {!implemented && <p className="notice">This template is only planned: no run of it can be submitted yet.</p>}
      {warnings.length > 0 && (
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {tier !== null && estimate !== null && estimate.tier !== tier && (
        <p>
          <button type="button" className="button small" onClick={() => take(tier)}>
            Use {tier}
          </button>
        </p>
      )}
      <details>
        <summary>How this was calculated</summary>
        <ul className="small">
          {why.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </div>
  )
}
