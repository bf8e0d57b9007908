/** Setting the meta blocks. Contract, "Meta blocks can be set". */
import { z } from 'zod'
import { longNameText, sha256Text, wordText } from '../../src/platform/text-rules.ts'
import { putDatasetMeta, putModelMeta } from '../../src/repos/put-meta.ts'
import { builder } from '../builder.ts'
import { ControlClassEnum } from '../enums.ts'
import { repoName, rule } from '../input-field.ts'
import { operation } from '../operation-scope.ts'
import { RepoType } from './repo.ts'
import { targetRepo } from './target-repo.ts'

const PutModelMetaInput = builder.inputType('PutModelMetaInput', {
  description: 'The whole block; what is left out becomes null.',
  fields: (t) => ({
    ...repoName(t),
    policyType: t.string({ required: true, ...rule(wordText), description: '1 to 64 characters.' }),
    baseModel: t.string({ ...rule(longNameText), description: 'What it was tuned from.' }),
    sourceRunId: t.string({ ...rule(wordText), description: 'The run that made it.' }),
    controlClass: t.field({ type: ControlClassEnum, description: 'Null means undeclared.' }),
    robot: t.string({ ...rule(longNameText), description: 'The robot it drives.' }),
    embodimentFingerprint: t.string({ ...rule(sha256Text), description: 'Recorded in the policy manifest.' }),
  }),
})

const MAX_INT32 = 2 ** 31 - 1
const count = z.int().min(0).max(MAX_INT32)

const PutDatasetMetaInput = builder.inputType('PutDatasetMetaInput', {
  description: 'The whole block; what is left out becomes null.',
  fields: (t) => ({
    ...repoName(t),
    episodeCount: t.field({ type: 'SafeInt', required: true, ...rule(count), description: 'Episodes.' }),
    totalFrames: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(z.int().min(0)),
      description: 'Frames of all episodes.',
    }),
    fps: t.float({ ...rule(z.number().positive().finite()), description: 'Frames per second.' }),
    robotType: t.string({ ...rule(longNameText), description: 'Free-form label of the robot.' }),
  }),
})

builder.mutationField('putModelMeta', (t) =>
  t.field({
    type: RepoType,
    description: 'Replaces the meta block of a model repo; 409 on another kind.',
    ...operation('key:write', targetRepo),
    args: { input: t.arg({ type: PutModelMetaInput, required: true, description: 'What to do it with.' }) },
    resolve: (_root, { input }, ctx) => putModelMeta(ctx, input),
  }),
)

builder.mutationField('putDatasetMeta', (t) =>
  t.field({
    type: RepoType,
    description: 'Replaces the meta block of a dataset repo; 409 on another kind.',
    ...operation('key:write', targetRepo),
    args: { input: t.arg({ type: PutDatasetMetaInput, required: true, description: 'What to do it with.' }) },
    resolve: (_root, { input }, ctx) => putDatasetMeta(ctx, input),
  }),
)
