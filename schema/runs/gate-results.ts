/** Gate results of a run so far. Spec, "CheckpointGateSpec". */

import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import type { RequestContext } from '../../src/operation/context.ts'
import { cellsOfResults } from '../../src/runs/gates/gate-cells.ts'
import type { RunGateRow } from '../../src/runs/read/run-shape.ts'
import { builder } from '../builder.ts'
import { selectedRows } from '../selected.ts'
import { RunType } from './run.ts'
import { GateRowType } from './run-parts.ts'

const resultKey = { runId: true, step: true } as const

interface GateResultKey {
  readonly runId: string
  readonly step: number
}

const cellsLoader = createContextCache(
  (ctx: RequestContext) =>
    new DataLoader<GateResultKey, readonly RunGateRow[], string>((results) => cellsOfResults(ctx, results), {
      cacheKeyFn: ({ runId, step }) => `${runId} ${step}`,
    }),
)

/** Reached only through a visible run. */
const GateResultType = builder.prismaObject('RunGateResult', {
  description: 'Gate result of one checkpoint.',
  select: resultKey,
  fields: (t) => ({
    step: t.expose('step', { type: 'SafeInt', description: 'Training step of the checkpoint.' }),
    cells: t.field({
      most: 50,
      type: [GateRowType],
      description:
        'Results by cell, as reported by the runner. One statement for any number of results, which reads 16 MiB: ' +
        '413 for those beyond.',
      select: resultKey,
      resolve: ({ runId, step }, _args, ctx) => cellsLoader(ctx).load({ runId, step: Number(step) }),
    }),
    passCount: t.exposeInt('passCount', { description: 'Number of cells that passed.' }),
    cellCount: t.exposeInt('cellCount', { description: 'Cells.' }),
    aliveCount: t.exposeInt('aliveCount', { description: 'Number of seeds in which the robot did not fall.' }),
    seedCount: t.exposeInt('seedCount', { description: 'Number of seeds rolled out.' }),
    rolloutId: t.exposeString('rolloutId', { nullable: true, description: "The runner's id of the rollout." }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was reported.' }),
  }),
})

builder.objectField(RunType, 'gateResults', (t) =>
  t.loadableGroup({
    most: 20,
    // A run has up to a thousand.
    work: 400,
    type: GateResultType,
    byPath: true,
    description: 'Gate results so far, in step order. One query for any number of runs.',
    resolve: (run) => run.id,
    group: ({ runId }) => runId,
    load: (runIds: string[], ctx, _args, info) =>
      ctx.deps.db.prisma.runGateResult.findMany({
        ...selectedRows(ctx, info, resultKey),
        where: { runId: { in: runIds } },
        orderBy: [{ runId: 'asc' }, { step: 'asc' }],
      }),
  }),
)
