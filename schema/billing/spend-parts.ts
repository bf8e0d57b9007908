/** Parts of what accounts spend that several types show. */
import type { SpendCap } from '../../src/billing/spend-month.ts'
import { builder } from '../builder.ts'
import { wordEnum } from '../word-enum.ts'

export const SpendCapModeEnum = wordEnum('SpendCapMode', 'What a spend cap does.', {
  notify: 'Records that the month passed the cap, and refuses nothing.',
  stop: 'Refuses hosted work that could carry the month past the cap.',
})

export const SpendKindEnum = wordEnum('SpendKind', 'What money is spent on.', {
  run: 'Training runs.',
  robot_check: 'Robot checks and model checks.',
  endpoint: 'Sessions of inference endpoints.',
})

export const SpendCapType = builder.objectRef<SpendCap>('SpendCap').implement({
  description: 'What the hosted work of an account may cost in a calendar month (UTC).',
  fields: (t) => ({
    mode: t.expose('mode', { type: SpendCapModeEnum, description: 'What the cap does.' }),
    limitUsd: t.float({ description: 'The cap in US dollars.', resolve: ({ limitUsd }) => Number(limitUsd) }),
  }),
})
