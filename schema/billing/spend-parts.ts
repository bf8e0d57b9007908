/** Parts of what accounts spend that several types show. */
import type { SpendCap } from '../../src/billing/spend-month.ts'
import { builder } from '../builder.ts'
import { wordEnum } from '../word-enum.ts'

export const SpendCapModeEnum = wordEnum('SpendCapMode', 'Effect of a spend cap.', {
  notify: 'Records that the month passed the cap, and refuses nothing.',
  stop: 'Refuses hosted work that could carry the month past the cap.',
})

export const SpendKindEnum = wordEnum('SpendKind', 'Kind of billed work.', {
  run: 'Training runs.',
  robot_check: 'Robot checks and model checks.',
  endpoint: 'Sessions of inference endpoints.',
})

export const SpendCapType = builder.objectRef<SpendCap>('SpendCap').implement({
  description: 'Limit of what the hosted work of an account may cost in a calendar month (UTC).',
  fields: (t) => ({
    mode: t.expose('mode', { type: SpendCapModeEnum, description: 'Effect of the cap.' }),
    limitUsd: t.float({ description: 'The cap in US dollars.', resolve: ({ limitUsd }) => Number(limitUsd) }),
  }),
})
