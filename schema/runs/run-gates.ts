/** Checkpoint gating while a run trains: recorded by its runner, shown with the run. Spec, "CheckpointGateSpec". */

import { longNameText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { MAX_GATE_RESULTS, MAX_RESULTS } from '../../src/runs/gates/limits.ts'
import { recordGateResults } from '../../src/runs/gates/record-gate-results.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { CellVerdictEnum } from './enums.ts'
import { RunType } from './run.ts'
import { targetRun } from './target-run.ts'

/** Same as the maximum number of cells in a recipe. */
const MAX_CELLS = 10_000
const seeds = z.int().min(0).max(1000)

const GateCellInput = builder.inputType('GateCellInput', {
  description: 'Result of one cell of the battery.',
  fields: (t) => ({
    name: t.string({ required: true, ...rule(longNameText), description: 'Name of the cell.' }),
    status: t.field({ type: CellVerdictEnum, required: true, description: 'Result of the cell.' }),
    detail: t.string({ ...rule(z.string().max(1000)), description: 'Why.' }),
  }),
})

const cellsRule = { ...rule(z.array(z.unknown()).max(MAX_CELLS)), description: `At most ${MAX_CELLS}.` }
const stepRule = { ...rule(z.int().min(0)), description: 'Training step of the checkpoint.' }
const seedsRun = { ...rule(seeds), description: 'Number of seeds rolled out.' }
const seedsAlive = { ...rule(seeds), description: 'Number of seeds in which the robot did not fall.' }
const rolloutId = (t: InputFields) =>
  t.string({ ...rule(longNameText), description: "The runner's id of the rollout." })

const GateResultInput = builder.inputType('GateResultInput', {
  description: 'Gate result of one checkpoint.',
  fields: (t) => ({
    step: t.field({ type: 'SafeInt', required: true, ...stepRule }),
    cells: t.field({ type: [GateCellInput], required: true, ...cellsRule }),
    seedsRun: t.int({ required: true, ...seedsRun }),
    seedsAlive: t.int({ required: true, ...seedsAlive }),
    rolloutId: rolloutId(t),
  }),
})

mutation('recordGateResults', {
  type: RunType,
  payload: { name: 'run', description: 'The run after the change.' },
  description:
    'Records gate results of a running run; a second result for the same step replaces the first, and those of the ' +
    `last ${MAX_GATE_RESULTS} steps stay. 409 for a credential that has not claimed the run. If a tripwire of the ` +
    'recipe fires, cancellation is requested: `cancelRequestedAt`.',
  scope: 'key:train',
  target: targetRun,
  input: input('Gate results: `results`, or the members of a single result.', (t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    attempt: t.int({
      ...rule(z.int().min(1)),
      description: 'The `attempt` returned by the claim; a lost attempt is rejected with 409.',
    }),
    results: t.field({
      type: [GateResultInput],
      ...rule(z.array(z.unknown()).min(1).max(MAX_RESULTS)),
      description: `Results in the order in which the checkpoints were gated; at most ${MAX_RESULTS}.`,
    }),
    step: t.field({ type: 'SafeInt', ...stepRule }),
    cells: t.field({ type: [GateCellInput], ...cellsRule }),
    seedsRun: t.int(seedsRun),
    seedsAlive: t.int(seedsAlive),
    rolloutId: rolloutId(t),
  })),
  verb: recordGateResults,
})
