/** The GraphQL input of a recipe, and its conversion to the stored document. Spec, "Recipe". */

import { handleText, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import {
  type CheckpointGateSpec,
  type Recipe,
  recipeRules,
  tripwireMetrics,
  tripwireOps,
} from '../../src/planner/recipe/recipe.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { RunExecutorEnum, VideoModeEnum } from './enums.ts'
import { keptRunFields } from './kept-input.ts'

const GateTripwireInput = builder.inputType('GateTripwireInput', {
  description:
    'Asks the run to stop when the last `consecutive` gated checkpoints at or past `fromStep` all satisfy the ' +
    'comparison.',
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
      description: 'The value to compare the metric with.',
    }),
    fromStep: t.field({
      type: 'SafeInt',
      ...rule(recipeRules.fromStep),
      description: 'Checkpoints before this step are ignored; default 0.',
    }),
    consecutive: t.int({
      ...rule(recipeRules.consecutive),
      description: 'Number of consecutive gated checkpoints; default 1.',
    }),
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
    battery: t.string({ ...rule(recipeRules.battery), description: 'Name of the set of cells; default `watch`.' }),
    seeds: t.int({ ...rule(recipeRules.seeds), description: 'Seeds per cell; default 3.' }),
    delay: t.int({ ...rule(recipeRules.delay), description: 'Control steps of actuation delay; default 2.' }),
    executor: t.field({
      type: RunExecutorEnum,
      description: "Who executes the rollouts; the run's executor by default.",
    }),
    tripwires: t.field({
      type: [GateTripwireInput],
      ...rule(recipeRules.tripwires),
      description: 'Conditions that stop the run; at most 20.',
    }),
    video: t.field({ type: VideoModeEnum, description: 'What is rendered.' }),
    horizonS: t.float({ ...rule(recipeRules.horizonS), description: 'Length of a rollout in seconds.' }),
    cellCount: t.int({ ...rule(recipeRules.cellCount), description: 'Number of cells to run.' }),
  }),
})

const RecipeInput = builder.inputType('RunRecipeInput', {
  description: 'The recipe of a run: template, datasets, robot, hyperparameters and limits.',
  fields: (t) => ({
    template: t.string({
      required: true,
      ...rule(recipeRules.template),
      description: 'Name of the training template.',
    }),
    dataset: t.stringList({
      ...rule(recipeRules.dataset),
      description:
        '`svc://owner/repo` of this hub, `exthub://namespace/name`, or `codehost://owner/repo` with an optional ' +
        '`@ref` and `/subpath`.',
    }),
    robot: t.string({
      ...rule(recipeRules.robot),
      description: 'The robot to train for: a full name (`owner/slug`) or free text.',
    }),
    hyperparams: t.field({
      type: 'JSON',
      ...rule(recipeRules.hyperparams),
      description: 'A JSON object, passed to the template unchanged.',
    }),
    gpu: t.string({ ...rule(recipeRules.gpu), description: "Hardware tier; the deployment's default if absent." }),
    maxHours: t.float({
      ...rule(recipeRules.maxHours),
      description:
        'Hard wall-clock limit in hours over all attempts, at least a minute for hosted runs; if absent, 4 for ' +
        'hosted runs and no limit for worker runs.',
    }),
    executor: t.field({ type: RunExecutorEnum, description: 'Who executes the run; default `WORKER`.' }),
    budgetUsd: t.float({
      ...rule(recipeRules.budgetUsd),
      description: 'Hard spending limit in US dollars; for a hosted run no less than a minute costs.',
    }),
    gate: t.field({ type: CheckpointGateInput, description: 'Gate checkpoints while the run trains.' }),
    parentCheckpointStep: t.field({
      type: 'SafeInt',
      ...rule(recipeRules.parentCheckpointStep),
      description: "Start from the parent run's published checkpoint at this step.",
    }),
  }),
})

/** The input fields shared by createRun, startRun, estimateRun and recommendRun. */
export function runRequestFields(t: InputFields) {
  return {
    recipe: t.field({ type: RecipeInput, required: true, description: 'The recipe.' }),
    owner: t.string({
      ...rule(handleText),
      description: "Handle of the account that is billed; the credential's account by default.",
    }),
    parentRunId: t.id({ ...rule(wordText), description: 'Id of the parent run.' }),
    ...keptRunFields(t),
  }
}

type GateArgument = typeof CheckpointGateInput.$inferInput
type RecipeArgument = typeof RecipeInput.$inferInput

/** The recipe in `/v1` names, without absent members. Validation has already narrowed the open types. */
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
