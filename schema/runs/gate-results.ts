/** What gating the checkpoints of a run has found so far. Spec, "CheckpointGateSpec". */
import type { RunGateRow } from '../../src/runs/read/run-shape.ts'
import { builder } from '../builder.ts'
import { selectedRows } from '../selected.ts'
import { RunType } from './run.ts'
import { GateRowType } from './run-parts.ts'

const resultKey = { runId: true, step: true } as const

/** Reached through a run alone, which was found to be visible. */
const GateResultType = builder.prismaObject('RunGateResult', {
  description: 'What gating one checkpoint found.',
  select: resultKey,
  fields: (t) => ({
    step: t.expose('step', { type: 'SafeInt', description: 'Of the checkpoint.' }),
    cells: t.field({
      type: [GateRowType],
      description: 'As the runner reported them.',
      select: { rows: true },
      // `recordGateResults` wrote them.
      resolve: ({ rows }) => rows as unknown as RunGateRow[],
    }),
    passCount: t.exposeInt('passCount', { description: 'Cells that passed.' }),
    cellCount: t.exposeInt('cellCount', { description: 'Cells.' }),
    aliveCount: t.exposeInt('aliveCount', { description: 'Seeds that did not fall.' }),
    seedCount: t.exposeInt('seedCount', { description: 'Seeds that were rolled out.' }),
    rolloutId: t.exposeString('rolloutId', { nullable: true, description: 'What the runner calls the rollout.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was reported.' }),
  }),
})

builder.objectField(RunType, 'gateResults', (t) =>
  t.loadableGroup({
    type: GateResultType,
    byPath: true,
    description: 'Of the checkpoints that were gated so far, oldest step first. One query for any number of runs.',
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
