/** Submitting and importing runs. Spec, "Runs". */
import { z } from 'zod'
import { recipeRules } from '../../src/planner/recipe/recipe.ts'
import { jsonObject } from '../../src/platform/json-object-rule.ts'
import { handleText, wordText } from '../../src/platform/text-rules.ts'
import { createRun } from '../../src/runs/create/create-run.ts'
import { importRun } from '../../src/runs/create/import-run.ts'
import { warningsOf } from '../../src/runs/create/run-warnings.ts'
import type { Run } from '../../src/runs/read/run-shape.ts'
import { terminalStatuses } from '../../src/work/job-status.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { recipeOf, runRequestFields } from '../planner/recipe-input.ts'
import { input, mutation } from '../root-field.ts'
import { JobStatusEnum } from './enums.ts'
import { RunType } from './run.ts'

/** A union from the beginning: what costs money may lead to something else than a run, which clients then tell apart by `__typename`. */
const CreateRunResult = builder.unionType('CreateRunResult', {
  description: 'What a request for a run led to; further types may join.',
  types: [RunType],
  resolveType: () => RunType,
})

const CreateRunPayload = builder.objectRef<Run>('CreateRunPayload').implement({
  description: 'The answer to `createRun`.',
  fields: (t) => ({
    result: t.field({ type: CreateRunResult, description: 'The run, which waits.', resolve: (run) => run }),
    warnings: t.stringList({
      description: "The run's `warnings`: what the caller has to set up before they take effect.",
      resolve: (run) => warningsOf(run),
    }),
  }),
})

mutation('createRun', {
  type: CreateRunPayload,
  description:
    'Queues a run. A worker run waits for a runner with a train key of the owner; the datasets of this hub that it names are pinned as they are now.',
  scope: 'key:train',
  input: input('A recipe, who is billed, and what it descends from.', runRequestFields),
  verb: (ctx, input) => createRun(ctx, { ...input, recipe: recipeOf(input.recipe) }),
})

const ImportArtifactsInput = builder.inputType('RunImportArtifactsInput', {
  description: 'What the training left behind; each at most COACH_MAX_ARTIFACT_BYTES (4 MiB).',
  fields: (t) => ({
    configYaml: t.string({ required: true, description: 'The resolved config.' }),
    metricsSummary: t.string({ required: true, description: 'CSV, the tail of a JSONL, or a table.' }),
    scorecardJson: t.field({ type: 'JSON', ...rule(jsonObject), description: 'An object: the acceptance scorecard.' }),
  }),
})

mutation('importRun', {
  type: RunType,
  payload: { name: 'run', description: 'The run that was recorded.' },
  description:
    'Records a run that was trained elsewhere: kind `external`, ended, with artifacts and no log. It spends nothing.',
  scope: 'key:write',
  input: input('A run that was trained elsewhere.', (t) => ({
    artifacts: t.field({ type: ImportArtifactsInput, required: true, description: 'What it left behind.' }),
    owner: t.string({
      ...rule(handleText),
      description: 'Handle of its owner; absent, the account of the credential.',
    }),
    parentRunId: t.id({
      ...rule(wordText),
      description: 'The run that it descends from; configs are then compared.',
    }),
    template: t.string({ ...rule(recipeRules.template), description: 'What produced it, in free words.' }),
    dataset: t.stringList({ ...rule(recipeRules.dataset), description: 'What it was trained on.' }),
    robot: t.string({ ...rule(recipeRules.robot), description: 'The robot that it was trained for.' }),
    status: t.field({
      type: JobStatusEnum,
      ...rule(z.enum(terminalStatuses, 'must be succeeded, failed or canceled')),
      description: 'How it ended; default succeeded.',
    }),
    hyperparams: t.field({
      type: 'JSON',
      ...rule(recipeRules.hyperparams),
      description: 'An object; kept untouched.',
    }),
  })),
  verb: (ctx, input) =>
    importRun(ctx, { ...input, hyperparams: input.hyperparams as Readonly<Record<string, unknown>> | null }),
})
