/** Where a run is executed, for how long, and who pays. */
import { Field } from '../../../ui/field.tsx'
import { money } from '../../../ui/format.ts'
import type { FormPart } from './form-part.ts'
import type { SubmitFormQuery } from './submit.graphql.ts'

export type Tier = NonNullable<SubmitFormQuery['hardwareTiers']>['items'][number]

interface Props extends FormPart {
  readonly tiers: readonly Tier[]
  /** Whether the hub executes work itself. */
  readonly isHosting: boolean
  readonly owners: readonly string[]
}

export function PlaceFields({ draft, change, fault, tiers, isHosting, owners }: Props) {
  const isHosted = draft.executor === 'HOSTED'
  return (
    <fieldset className="form-part">
      <legend>Where it runs</legend>
      <div className="form-grid">
        <Field label="Where" hint={isHosting ? '' : 'This hub has no hosted machines.'} fault={fault('executor')}>
          <select
            value={draft.executor}
            onChange={({ target }) => change({ executor: target.value === 'HOSTED' ? 'HOSTED' : 'WORKER' })}
          >
            <option value="WORKER">On a machine of yours: not charged</option>
            <option value="HOSTED">On a hosted machine</option>
          </select>
        </Field>
        <Field label="GPU" fault={fault('gpu')}>
          <select value={draft.gpu} onChange={({ target }) => change({ gpu: target.value })}>
            <option value="">{isHosted ? 'The smallest' : 'Any'}</option>
            {draft.gpu !== '' && !tiers.some(({ tier }) => tier === draft.gpu) && <option>{draft.gpu}</option>}
            {tiers.map(({ tier, vramGb, rateUsdPerHour }) => (
              <option key={tier} value={tier}>
                {tier}, {vramGb} GB{isHosted && `, ${money(rateUsdPerHour)} an hour`}
              </option>
            ))}
          </select>
        </Field>
        <Field
          label="Hours at most"
          hint={isHosted ? 'The hub ends it then: 4 if empty.' : 'The hub ends it then. No limit if empty.'}
          fault={fault('maxHours')}
        >
          <input
            type="number"
            min="0"
            step="any"
            value={draft.maxHours}
            onChange={({ target }) => change({ maxHours: target.value })}
          />
        </Field>
        <Field label="Budget in USD" hint="It ends when this is spent. Optional." fault={fault('budgetUsd')}>
          <input
            type="number"
            min="0"
            step="any"
            value={draft.budgetUsd}
            onChange={({ target }) => change({ budgetUsd: target.value })}
          />
        </Field>
        {owners.length > 1 && (
          <Field label="Billed to" fault={fault('owner')}>
            <select value={draft.owner} onChange={({ target }) => change({ owner: target.value })}>
              {owners.map((handle) => (
                <option key={handle}>{handle}</option>
              ))}
            </select>
          </Field>
        )}
      </div>
    </fieldset>
  )
}
