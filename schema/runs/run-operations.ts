/** Mutations that submit and import runs. Spec, "Runs". */

import { handleText, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { isSpendHold, type SpendHold } from '../../src/billing/holds/hold-shape.ts'
import { recipeRules } from '../../src/planner/recipe/recipe.ts'
import { jsonObject } from '../../src/platform/json-object-rule.ts'
import { createRun } from '../../src/runs/create/create-run.ts'
import { importRun } from '../../src/runs/create/import-run.ts'
import { warningsOf } from '../../src/runs/create/run-warnings.ts'
import { startRun } from '../../src/runs/create/start-run.ts'
import { updateRun } from '../../src/runs/edit/update-run.ts'
import type { Run } from '../../src/runs/read/run-shape.ts'
import { terminalStatuses } from '../../src/work/job-state.ts'
import { holdDescription, holdOf } from '../billing/held-result.ts'
import { SpendHoldType } from '../billing/spend-hold.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { keptRunFields } from '../planner/kept-input.ts'
import { recipeOf, runRequestFields } from '../planner/recipe-input.ts'
import { input, mutation } from '../root-field.ts'
import { workerName } from './claim-input.ts'
import { JobStatusEnum } from './enums.ts'
import { RunType } from './run.ts'
import { targetRun } from './target-run.ts'

/** A union from the start, so that further results can be added; clients distinguish them by `__typename`. */
const CreateRunResult = builder.unionType('CreateRunResult', {
  description: 'Result of `createRun`; further types may be added.',
  types: [RunType, SpendHoldType],
  resolveType: (result) => (isSpendHold(result) ? SpendHoldType : RunType),
})

const CreateRunPayload = builder.objectRef<Run | SpendHold>('CreateRunPayload').implement({
  description: 'Result of `createRun`.',
  fields: (t) => ({
    result: t.field({
      type: CreateRunResult,
      description: 'The queued run, or the spend hold.',
      resolve: (result) => result,
    }),
    hold: t.field({ type: SpendHoldType, nullable: true, description: holdDescription, resolve: holdOf }),
    warnings: t.stringList({
      most: 20,
      description: "Same as the run's `warnings`: settings of the recipe that need further setup.",
      resolve: (result) => (isSpendHold(result) ? [] : warningsOf(result)),
    }),
  }),
})

mutation('createRun', {
  type: CreateRunPayload,
  description:
    "Queues a run. Hosted work that an agent's key asks for becomes a spend hold instead, which a person has to " +
    "approve. A worker run waits for a runner with the owner's train key; its datasets on this hub are pinned to " +
    'their current state.',
  scope: 'key:train',
  input: input('The recipe, the account to bill and the parent run.', runRequestFields),
  verb: (ctx, input) => createRun(ctx, { ...input, recipe: recipeOf(input.recipe) }),
})

mutation('updateRun', {
  type: RunType,
  payload: { name: 'run', description: 'The run after the change.' },
  description:
    'Changes project, name, notes, tags, group and job type of a run, whatever its status; and names the parent of a ' +
    'run that has none. Idempotent. 403 for a caller who does not belong to the billed account.',
  scope: 'key:write',
  target: targetRun,
  input: input('The run and its new fields: null clears one, an omitted one stays.', (t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    parentRunId: t.id({
      description:
        'An earlier run that this one goes on from, set once: 422 if the run has another, if it is not older, or if ' +
        'the caller cannot see it. Null changes nothing.',
    }),
    ...keptRunFields(t),
  })),
  verb: updateRun,
})

mutation('startRun', {
  type: RunType,
  payload: { name: 'run', description: 'The running run, which the caller now reports on.' },
  description:
    'Creates a worker run and claims it in one transaction, for a process that trains already. Its template is ' +
    'any text. 422 for hosted work. After a lost lease the run waits for that process: it can be claimed by its ' +
    'id, and claimNextRun hands it to no other.',
  scope: 'key:train',
  input: input('The recipe, the name of the runner, the account to bill and the parent run.', (t) => ({
    ...runRequestFields(t),
    worker: workerName(t, 'runner'),
  })),
  verb: (ctx, input) => startRun(ctx, { ...input, recipe: recipeOf(input.recipe) }),
})

const ImportArtifactsInput = builder.inputType('RunImportArtifactsInput', {
  description: 'Artifacts of the training; each at most COACH_MAX_ARTIFACT_BYTES (4 MiB).',
  fields: (t) => ({
    configYaml: t.string({ required: true, description: 'The resolved config as YAML.' }),
    metricsSummary: t.string({
      required: true,
      description: 'Summary of the metrics: CSV, the tail of a JSONL file, or a table.',
    }),
    scorecardJson: t.field({
      type: 'JSON',
      ...rule(jsonObject),
      description: 'The acceptance scorecard, a JSON object.',
    }),
  }),
})

mutation('importRun', {
  type: RunType,
  payload: { name: 'run', description: 'The imported run.' },
  description:
    'Imports a run trained elsewhere: kind `external`, already ended, with artifacts and without a log. Costs nothing.',
  scope: 'key:write',
  input: input('A run that was trained elsewhere.', (t) => ({
    artifacts: t.field({ type: ImportArtifactsInput, required: true, description: 'Artifacts of the run.' }),
    owner: t.string({
      ...rule(handleText),
      description: "Handle of the owner; the credential's account by default.",
    }),
    parentRunId: t.id({
      ...rule(wordText),
      description: 'Id of the parent run, to compare configs with.',
    }),
    template: t.string({ ...rule(recipeRules.template), description: 'Free text about what produced it.' }),
    dataset: t.stringList({ ...rule(recipeRules.dataset), description: 'Dataset that it was trained on.' }),
    robot: t.string({ ...rule(recipeRules.robot), description: 'Robot that it was trained for.' }),
    status: t.field({
      type: JobStatusEnum,
      ...rule(z.enum(terminalStatuses, 'must be succeeded, failed or canceled')),
      description: 'Final status; default `SUCCEEDED`.',
    }),
    hyperparams: t.field({
      type: 'JSON',
      ...rule(recipeRules.hyperparams),
      description: 'A JSON object, kept unchanged.',
    }),
    ...keptRunFields(t),
  })),
  verb: (ctx, input) =>
    importRun(ctx, { ...input, hyperparams: input.hyperparams as Readonly<Record<string, unknown>> | null }),
})
