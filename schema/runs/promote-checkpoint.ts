/** A checkpoint as a model repo of its own. Contract, "Promoting a checkpoint". */
import { fullNameText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { type Promoted, promoteCheckpoint } from '../../src/runs/checkpoints/promote-checkpoint.ts'
import { builder } from '../builder.ts'
import { committedFields } from '../files/commit-files.ts'
import { messageField } from '../files/message-input.ts'
import { rule } from '../input-field.ts'
import { VisibilityEnum } from '../repos/enums.ts'
import { RepoType } from '../repos/repo.ts'
import { input, mutation } from '../root-field.ts'
import { targetRun } from './target-run.ts'

const PromotedFilesType = builder.objectRef<Promoted['commit']>('PromotedFiles').implement({
  description: 'The commit of the files of a promoted checkpoint.',
  fields: committedFields,
})

const PromotedType = builder.objectRef<Promoted>('PromotedCheckpoint').implement({
  description: 'The model repo that a checkpoint was promoted to, and what changed in it.',
  fields: (t) => ({
    repo: t.expose('repo', { type: RepoType, description: 'The repo, with its files and its meta block.' }),
    commit: t.expose('commit', { type: PromotedFilesType, description: 'The commit of the files.' }),
  }),
})

mutation('promoteCheckpoint', {
  type: PromotedType,
  description:
    'Makes the files of a checkpoint a model repo of their own, with the facts of the run: all of it, or nothing. ' +
    'No bytes are sent. In a repo that is there, files of the same name get the new bytes and others stay; a repeat ' +
    'changes nothing. 404 for a step without a checkpoint, 409 for a repo of another kind and while the hub ' +
    'verifies the files.',
  scope: 'key:write',
  target: targetRun,
  input: input('The checkpoint, and the model repo that gets its files.', (t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    step: t.field({ type: 'SafeInt', required: true, ...rule(z.int().min(0)), description: 'Step of the checkpoint.' }),
    repo: t.string({
      required: true,
      ...rule(fullNameText),
      description: 'The model repo, as `owner/slug`; it is created if it does not exist.',
    }),
    visibility: t.field({
      type: VisibilityEnum,
      description: 'Visibility of a new repo: private if absent. An existing repo keeps its own.',
    }),
    ...messageField(t),
  })),
  verb: promoteCheckpoint,
})
