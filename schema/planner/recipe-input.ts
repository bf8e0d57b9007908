/** A recipe as GraphQL writes it, and the document that it becomes. Spec, "Recipe". */
import { z } from 'zod'
import {
  type CheckpointGateSpec,
  type Recipe,
  recipeRules,
  tripwireMetrics,
  tripwireOps,
} from '../../src/planner/recipe/recipe.ts'
import { handleText, wordText } from '../../src/platform/text-rules.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { RunExecutorEnum, VideoModeEnum } from './enums.ts'

const GateTripwireInput = builder.inputType('GateTripwireInput', {
  description:
    'Asks the run to stop when the last `consecutive` gated checkpoints at or past `fromStep` all satisfy the comparison.',
  fields: (t) => ({
    metric: t.string({
      required: true,
      ...rule(z.enum(tripwireMetrics)),
      description: '`pass_rate` (of cells), `alive_rate` (of seeds) or `gates_passed` (cells).',
    }),
    op: t.string({ required: true, ...rule(z.enum(tripwireOps)), description: '`<`, `<=`, `>` or `>=`.' }),
    threshold: t.float({
      required: true,
      ...rule(recipeRules.threshold),
      description: 'What the metric is compared with.',
    }),
    fromStep: t.field({ type: 'SafeInt', ...rule(recipeRules.fromStep), description: 'Default 0.' }),
    consecutive: t.int({ ...rule(recipeRules.consecutive), description: 'Default 1.' }),
  }),
})

const CheckpointGateInput = builder.inputType('CheckpointGateSpecInput', {
  description: 'Gate checkpoints in simulation while the run trains.',
  fields: (t) => ({
    everySteps: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(recipeRules.everySteps),
      description: 'The first checkpoint at or past each multiple is gated.',
    }),
    battery: t.string({ ...rule(recipeRules.battery), description: 'Which cells; default `watch`.' }),
    seeds: t.int({ ...rule(recipeRules.seeds), description: 'Default 3.' }),
    delay: t.int({ ...rule(recipeRules.delay), description: 'Control steps of actuation delay; default 2.' }),
    executor: t.field({ type: RunExecutorEnum, description: "Of the rollouts; absent, the run's own." }),
    tripwires: t.field({ type: [GateTripwireInput], ...rule(recipeRules.tripwires), description: 'At most 20.' }),
    video: t.field({ type: VideoModeEnum, description: 'What is rendered.' }),
    horizonS: t.float({ ...rule(recipeRules.horizonS), description: 'Seconds of a cell.' }),
    cellCount: t.int({ ...rule(recipeRules.cellCount), description: 'How many cells.' }),
  }),
})

const RecipeInput = builder.inputType('RunRecipeInput', {
  description: 'What a run is made from.',
  fields: (t) => ({
    template: t.string({ required: true, ...rule(recipeRules.template), description: 'Which trainer runs.' }),
    dataset: t.stringList({
      ...rule(recipeRules.dataset),
      description:
        '`svc://owner/repo` of this hub, `exthub://namespace/name`, or `codehost://owner/repo` with an optional `@ref` and `/subpath`.',
    }),
    robot: t.string({
      ...rule(recipeRules.robot),
      description: 'The robot that it trains for: a full name, or any word.',
    }),
    hyperparams: t.field({
      type: 'JSON',
      ...rule(recipeRules.hyperparams),
      description: 'An object; passed through to the template untouched.',
    }),
    gpu: t.string({ ...rule(recipeRules.gpu), description: 'A hardware tier; absent, the default of the deployment.' }),
    maxHours: t.float({
      ...rule(recipeRules.maxHours),
      description:
        'Hard wall-clock cap over all attempts; absent, 4 for what a hosted run reserves and costs, and none for a worker run.',
    }),
    executor: t.field({ type: RunExecutorEnum, description: 'Default: a worker.' }),
    budgetUsd: t.float({ ...rule(recipeRules.budgetUsd), description: 'Hard spend cap.' }),
    gate: t.field({ type: CheckpointGateInput, description: 'Gate checkpoints while it trains.' }),
    parentCheckpointStep: t.field({
      type: 'SafeInt',
      ...rule(recipeRules.parentCheckpointStep),
      description: "Start from the parent's published checkpoint at this step.",
    }),
  }),
})

/** What create, estimate and recommend take. */
export function runRequestFields(t: InputFields) {
  return {
    recipe: t.field({ type: RecipeInput, required: true, description: 'What to run.' }),
    owner: t.string({
      ...rule(handleText),
      description: 'Handle of who is billed; absent, the account of the credential.',
    }),
    parentRunId: t.id({ ...rule(wordText), description: 'The run that it descends from.' }),
  }
}

type GateArgument = typeof CheckpointGateInput.$inferInput
type RecipeArgument = typeof RecipeInput.$inferInput

/** The recipe in the names of `/v1`, with what was not given left out. Its rules have narrowed what its types leave open. */
export function recipeOf(input: RecipeArgument): Recipe {
  const { maxHours, budgetUsd, parentCheckpointStep, gate, hyperparams, ...rest } = input
  return given({
    ...rest,
    hyperparams: hyperparams as Recipe['hyperparams'],
    max_hours: maxHours,
    budget_usd: budgetUsd,
    gate: gate && gateOf(gate),
    parent_checkpoint_step: parentCheckpointStep,
  })
}

function gateOf({ everySteps, tripwires, horizonS, cellCount, ...rest }: GateArgument): CheckpointGateSpec {
  return given({
    every_steps: everySteps,
    ...rest,
    tripwires: tripwires?.map(({ fromStep, metric, op, ...tripwire }) =>
      given({
        metric: metric as (typeof tripwireMetrics)[number],
        op: op as (typeof tripwireOps)[number],
        ...tripwire,
        from_step: fromStep,
      }),
    ),
    horizon_s: horizonS,
    cell_count: cellCount,
  })
}

function given<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T
}
