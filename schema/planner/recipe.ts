/** Output types of recipes: the given members, null for absent ones. Spec, "Recipe". */

import type { RecipeDocument } from '../../src/planner/recipe/recipe.ts'
import { gateDefaults, type VideoMode } from '../../src/planner/recipe/recipe.ts'
import { builder } from '../builder.ts'
import { member } from '../member.ts'
import { nullInV1 } from '../null-in-v1.ts'
import { RunExecutorEnum, VideoModeEnum } from './enums.ts'

/** A stored member. The recipe was validated when the run was created, so the type is safe. */
const given = <T>(name: string) => ({
  nullable: true as const,
  resolve: member(name, (document: RecipeDocument) => (document[name] ?? null) as T | null),
})

/** A member that every recipe has, or that stands for its preset. */
const always = <T>(name: string, preset?: T) => {
  const resolve = (document: RecipeDocument) => (document[name] ?? preset) as T
  return { ...nullInV1, resolve: preset === undefined ? member(name, resolve) : resolve }
}

const Tripwire = builder.objectRef<RecipeDocument>('GateTripwire').implement({
  description:
    'Asks the run to stop when the last `consecutive` gated checkpoints at or past `fromStep` all satisfy the ' +
    'comparison.',
  fields: (t) => ({
    metric: t.string({
      description: '`pass_rate`, `alive_rate` or `gates_passed`.',
      ...always<string>('metric'),
    }),
    op: t.string({ description: 'Comparison operator, such as `<`.', ...always<string>('op') }),
    threshold: t.float({
      description: 'The value to compare the metric with.',
      ...always<number>('threshold'),
    }),
    fromStep: t.field({
      type: 'SafeInt',
      description: 'Checkpoints before this step do not count.',
      ...always<number>('from_step', gateDefaults.fromStep),
    }),
    consecutive: t.int({
      description: 'Number of consecutive checkpoints that must satisfy the comparison.',
      ...always<number>('consecutive', gateDefaults.consecutive),
    }),
  }),
})

const GateSpec = builder.objectRef<RecipeDocument>('CheckpointGateSpec').implement({
  description: 'Gating of checkpoints in simulation while the run trains.',
  fields: (t) => ({
    everySteps: t.field({
      type: 'SafeInt',
      description: 'The first checkpoint at or past each multiple is gated.',
      ...always<number>('every_steps'),
    }),
    battery: t.string({
      description: 'Name of the set of cells; `watch` by default.',
      ...always<string>('battery', gateDefaults.battery),
    }),
    seeds: t.int({
      description: 'Seeds per cell; 3 by default.',
      ...always<number>('seeds', gateDefaults.seeds),
    }),
    delay: t.int({
      description: 'Control steps of actuation delay; 2 by default.',
      ...always<number>('delay', gateDefaults.delay),
    }),
    executor: t.field({
      type: RunExecutorEnum,
      description: "Who executes the rollouts; null means the run's executor.",
      ...given<'worker' | 'hosted'>('executor'),
    }),
    tripwires: t.field({
      most: 20,
      type: [Tripwire],
      description: 'Conditions that stop the run.',
      resolve: (document) => (document.tripwires ?? []) as RecipeDocument[],
    }),
    video: t.field({
      type: VideoModeEnum,
      description: 'What is rendered.',
      ...given<VideoMode>('video'),
    }),
    horizonS: t.float({ description: 'Length of a rollout in seconds.', ...given<number>('horizon_s') }),
    cellCount: t.int({
      description: 'Number of cells to run.',
      ...given<number>('cell_count'),
    }),
  }),
})

export const Recipe = builder.objectRef<RecipeDocument>('Recipe').implement({
  description: 'The recipe of a run: template, datasets, robot, hyperparameters and limits.',
  fields: (t) => ({
    template: t.string({ description: 'Name of the training template.', ...always<string>('template') }),
    dataset: t.stringList({
      most: 100,
      description: '`svc://`, `exthub://` and `codehost://` refs, in order.',
      resolve: (document) => (document.dataset ?? []) as string[],
    }),
    robot: t.string({
      description: 'The robot to train for: a full name (`owner/slug`) or free text.',
      ...given<string>('robot'),
    }),
    hyperparams: t.field({
      type: 'JSON',
      description: 'A JSON object, passed to the template unchanged.',
      ...given('hyperparams'),
    }),
    gpu: t.string({ description: "Hardware tier; null means the deployment's default.", ...given<string>('gpu') }),
    maxHours: t.float({
      description:
        'Wall-clock limit in hours over all attempts; null means 4 for hosted runs and no limit for worker runs.',
      ...given<number>('max_hours'),
    }),
    executor: t.field({
      type: RunExecutorEnum,
      description: 'Who executes the run; null means `WORKER`.',
      ...given<'worker' | 'hosted'>('executor'),
    }),
    budgetUsd: t.float({ description: 'Spending limit in US dollars.', ...given<number>('budget_usd') }),
    gate: t.field({
      type: GateSpec,
      description: 'How checkpoints are gated; null if they are not.',
      ...given<RecipeDocument>('gate'),
    }),
    parentCheckpointStep: t.field({
      type: 'SafeInt',
      description: "Starts from the parent run's checkpoint at this step; null to start from scratch.",
      ...given<number>('parent_checkpoint_step'),
    }),
  }),
})
