/** What a run cost its account. */
import { ledgerOfJob } from '../billing/ledger.ts'
import { builder } from '../builder.ts'
import { RunType } from './run.ts'

builder.objectField(RunType, 'ledger', (t) =>
  t.loadableGroup({
    ...ledgerOfJob,
    description: 'Ledger entries of the run, oldest first; none before it ends. One query for any number of runs.',
    resolve: ({ id }) => id,
  }),
)
