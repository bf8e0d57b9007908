/** What a run was made with. Contract, "Checkpoints and metrics". */
import type { RequestContext } from '../../src/operation/context.ts'
import { environmentsOfRuns } from '../../src/runs/read/environments-of-runs.ts'
import { builder } from '../builder.ts'
import { RunType } from './run.ts'

builder.objectField(RunType, 'environment', (t) =>
  t.loadable({
    type: 'JSON',
    nullable: true,
    // Up to 256 KiB for each run.
    work: 250,
    byPath: true,
    description:
      'Command, code, packages and machine, as its runner reported them first; null where it did not. One statement ' +
      'for any number of runs.',
    resolve: (run) => run.id,
    load: (ids: string[], ctx: RequestContext) => environmentsOfRuns(ctx, ids),
  }),
)
