/** Gating of checkpoints while a run trains: recorded by its runner, shown beside the run. Spec, "CheckpointGateSpec". */
import { z } from 'zod'
import { longNameText } from '../../src/platform/text-rules.ts'
import { recordGateResults } from '../../src/runs/gates/record-gate-results.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { CellVerdictEnum } from './enums.ts'
import { RunType } from './run.ts'
import { targetRun } from './target-run.ts'

/** As many cells as a recipe may ask for. */
const MAX_CELLS = 10_000
/** More than a runner gates while it cannot reach the hub. */
const MAX_RESULTS = 100
const seeds = z.int().min(0).max(1000)

const GateCellInput = builder.inputType('GateCellInput', {
  description: 'What one cell of the battery found.',
  fields: (t) => ({
    name: t.string({ required: true, ...rule(longNameText), description: 'What the cell is called.' }),
    status: t.field({ type: CellVerdictEnum, required: true, description: 'Its verdict.' }),
    detail: t.string({ ...rule(z.string().max(1000)), description: 'Why.' }),
  }),
})

const cellsRule = { ...rule(z.array(z.unknown()).max(MAX_CELLS)), description: `At most ${MAX_CELLS}.` }
const stepRule = { ...rule(z.int().min(0)), description: 'Of the checkpoint.' }
const seedsRun = { ...rule(seeds), description: 'How many seeds were rolled out.' }
const seedsAlive = { ...rule(seeds), description: 'How many of them did not fall.' }
const rolloutId = (t: InputFields) =>
  t.string({ ...rule(longNameText), description: 'What the runner calls the rollout.' })

const GateResultInput = builder.inputType('GateResultInput', {
  description: 'What gating one checkpoint found.',
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
  payload: { name: 'run', description: 'The run as it is now.' },
  description:
    'Records what gating checkpoints of a running run found; telling one again replaces it. For the credential that holds the run, 409 for any other. Where a tripwire of the recipe then fires the run is asked to stop: `cancelRequestedAt`.',
  scope: 'key:train',
  target: targetRun,
  input: input('What gating checkpoints found: `results`, or the members of a single one.', (t) => ({
    runId: t.id({ required: true, description: 'The run.' }),
    attempt: t.int({
      ...rule(z.int().min(1)),
      description: '`attempt` of the claim; a lost one is refused with 409.',
    }),
    results: t.field({
      type: [GateResultInput],
      ...rule(z.array(z.unknown()).min(1).max(MAX_RESULTS)),
      description: `In the order in which the checkpoints were gated; at most ${MAX_RESULTS}.`,
    }),
    step: t.field({ type: 'SafeInt', ...stepRule }),
    cells: t.field({ type: [GateCellInput], ...cellsRule }),
    seedsRun: t.int(seedsRun),
    seedsAlive: t.int(seedsAlive),
    rolloutId: rolloutId(t),
  })),
  verb: recordGateResults,
})
