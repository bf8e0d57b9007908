/** Mutations of meta blocks. Contract, "Writing". */

import { longNameText, sha256Text, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { putDatasetMeta, putModelMeta } from '../../src/repos/put-meta.ts'
import { repoName, rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { ControlClassEnum } from './enums.ts'
import { RepoType } from './repo.ts'
import { targetRepo } from './target-repo.ts'

const MAX_INT32 = 2 ** 31 - 1
const count = z.int().min(0).max(MAX_INT32)

mutation('putModelMeta', {
  type: RepoType,
  payload: { name: 'repo', description: 'The repo with its meta block.' },
  description: 'Replaces the meta block of a model repo; 409 on another kind.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The whole meta block of a model repo; omitted members become null.', (t) => ({
    ...repoName(t),
    policyType: t.string({ required: true, ...rule(wordText), description: '1 to 64 characters.' }),
    baseModel: t.string({ ...rule(longNameText), description: 'Base model that it was fine-tuned from.' }),
    sourceRunId: t.id({ ...rule(wordText), description: 'Id of the run that produced it.' }),
    controlClass: t.field({ type: ControlClassEnum, description: 'Null means undeclared.' }),
    robot: t.string({
      ...rule(longNameText),
      description: 'The robot it controls: a full name (`owner/slug`) or free text.',
    }),
    embodimentFingerprint: t.string({
      ...rule(sha256Text),
      description: 'Interface fingerprint (SHA-256) recorded in the policy manifest.',
    }),
  })),
  verb: putModelMeta,
})

mutation('putDatasetMeta', {
  type: RepoType,
  payload: { name: 'repo', description: 'The repo with its meta block.' },
  description: 'Replaces the meta block of a dataset repo; 409 on another kind.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The whole meta block of a dataset repo; omitted members become null.', (t) => ({
    ...repoName(t),
    episodeCount: t.field({ type: 'SafeInt', required: true, ...rule(count), description: 'Episodes.' }),
    totalFrames: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(z.int().min(0)),
      description: 'Frames in all episodes.',
    }),
    fps: t.float({ ...rule(z.number().positive().finite()), description: 'Frames per second.' }),
    robotType: t.string({ ...rule(longNameText), description: 'Free-form label of the robot.' }),
  })),
  verb: putDatasetMeta,
})
