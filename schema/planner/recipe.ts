/** Recipes as they are read: what was given, with null for what was not. Spec, "Recipe". */

import type { RecipeDocument } from '../../src/planner/recipe/recipe.ts'
import { gateDefaults, type VideoMode } from '../../src/planner/recipe/recipe.ts'
import { builder } from '../builder.ts'
import { nullInV1 } from '../null-in-v1.ts'
import { RunExecutorEnum, VideoModeEnum } from './enums.ts'

/** A member as it was given. The recipe was checked when the run was made, so its type is the one that the rule asked for. */
const given = <T>(name: string) => ({
  nullable: true as const,
  resolve: (document: RecipeDocument) => (document[name] ?? null) as T | null,
})

/** A member that every recipe has, or that stands for its preset. */
const always = <T>(name: string, preset?: T) => ({
  ...nullInV1,
  resolve: (document: RecipeDocument) => (document[name] ?? preset) as T,
})

const Tripwire = builder.objectRef<RecipeDocument>('GateTripwire').implement({
  description:
    'Asks the run to stop when the last `consecutive` gated checkpoints at or past `fromStep` all satisfy the comparison.',
  fields: (t) => ({
    metric: t.string({
      description: '`pass_rate`, `alive_rate` or `gates_passed`.',
      ...always<string>('metric'),
    }),
    op: t.string({ description: 'The comparison, such as `<`.', ...always<string>('op') }),
    threshold: t.float({
      description: 'What the metric is compared with.',
      ...always<number>('threshold'),
    }),
    fromStep: t.field({
      type: 'SafeInt',
      description: 'Checkpoints before this step do not count.',
      ...always<number>('from_step', gateDefaults.fromStep),
    }),
    consecutive: t.int({
      description: 'How many in a row.',
      ...always<number>('consecutive', gateDefaults.consecutive),
    }),
  }),
})

const GateSpec = builder.objectRef<RecipeDocument>('CheckpointGateSpec').implement({
  description: 'Checkpoints are gated in simulation while the run trains.',
  fields: (t) => ({
    everySteps: t.field({
      type: 'SafeInt',
      description: 'The first checkpoint at or past each multiple is gated.',
      ...always<number>('every_steps'),
    }),
    battery: t.string({
      description: 'The set of cells; `watch` by default.',
      ...always<string>('battery', gateDefaults.battery),
    }),
    seeds: t.int({
      description: 'Seeds of a cell; 3 by default.',
      ...always<number>('seeds', gateDefaults.seeds),
    }),
    delay: t.int({
      description: 'Control steps of actuation delay; 2 by default.',
      ...always<number>('delay', gateDefaults.delay),
    }),
    executor: t.field({
      type: RunExecutorEnum,
      description: "Who executes the rollouts; null means the run's own.",
      ...given<'worker' | 'hosted'>('executor'),
    }),
    tripwires: t.field({
      type: [Tripwire],
      description: 'What stops the run.',
      resolve: (document) => (document.tripwires ?? []) as RecipeDocument[],
    }),
    video: t.field({
      type: VideoModeEnum,
      description: 'What is rendered.',
      ...given<VideoMode>('video'),
    }),
    horizonS: t.float({ description: 'Seconds of a rollout.', ...given<number>('horizon_s') }),
    cellCount: t.int({
      description: 'Cells of the battery that are run.',
      ...given<number>('cell_count'),
    }),
  }),
})

export const Recipe = builder.objectRef<RecipeDocument>('Recipe').implement({
  description: 'What to train, on what, and where.',
  fields: (t) => ({
    template: t.string({ description: 'Which trainer runs.', ...always<string>('template') }),
    dataset: t.stringList({
      description: '`svc://`, `exthub://` and `codehost://` refs, in order.',
      resolve: (document) => (document.dataset ?? []) as string[],
    }),
    robot: t.string({ description: 'The robot that it trains for.', ...given<string>('robot') }),
    hyperparams: t.field({
      type: 'JSON',
      description: 'Passed through to the template untouched.',
      ...given('hyperparams'),
    }),
    gpu: t.string({ description: 'GPU type; the default when null.', ...given<string>('gpu') }),
    maxHours: t.float({
      description: 'Wall-clock cap over all attempts; when null, 4 of a hosted run and none of a worker run.',
      ...given<number>('max_hours'),
    }),
    executor: t.field({
      type: RunExecutorEnum,
      description: 'Null means `worker`.',
      ...given<'worker' | 'hosted'>('executor'),
    }),
    budgetUsd: t.float({ description: 'Spend cap.', ...given<number>('budget_usd') }),
    gate: t.field({
      type: GateSpec,
      description: 'Whether and how checkpoints are gated.',
      ...given<RecipeDocument>('gate'),
    }),
    parentCheckpointStep: t.field({
      type: 'SafeInt',
      description: "Starts from the parent run's checkpoint of this step.",
      ...given<number>('parent_checkpoint_step'),
    }),
  }),
})
