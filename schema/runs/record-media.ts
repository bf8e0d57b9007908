/** recordRunMedia: what a runner logs beside numbers. Contract, "Media of a run". */
import { filePath } from '@hub/formats/file-path-rule'
import { z } from 'zod'
import {
  MAX_MEDIA_BATCH,
  MAX_MEDIA_SECONDS,
  MAX_MEDIA_SIDE,
  mediaCaption,
  mediaKey,
} from '../../src/runs/media/media-shape.ts'
import { recordRunMedia } from '../../src/runs/media/record-media.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { RunType } from './run.ts'
import { MediaKindEnum } from './run-media.ts'
import { targetRun } from './target-run.ts'

const side = z.int().min(0).max(MAX_MEDIA_SIDE)

const RunMediaInput = builder.inputType('RunMediaInput', {
  description: 'What a run logs under a key at a step: either a file or a value.',
  fields: (t) => ({
    key: t.string({ required: true, ...rule(mediaKey), description: 'What it is logged under.' }),
    step: t.field({ type: 'SafeInt', required: true, ...rule(z.int().min(0)), description: 'The training step.' }),
    index: t.int({ ...rule(z.int().min(0)), description: 'Numbers several at one key and step; 0 by default.' }),
    kind: t.field({ type: MediaKindEnum, required: true, description: 'What it shows.' }),
    path: t.string({ ...rule(filePath), description: "Its file in the run's output repo, where it is already." }),
    value: t.field({
      type: 'JSON',
      description: 'In place of a file: a text, table or histogram of at most 64 KiB.',
    }),
    caption: t.string({ ...rule(mediaCaption), description: 'Its caption.' }),
    width: t.int({ ...rule(side), description: 'Pixels.' }),
    height: t.int({ ...rule(side), description: 'Pixels.' }),
    seconds: t.float({ ...rule(z.number().min(0).max(MAX_MEDIA_SECONDS)), description: 'How long it plays.' }),
    at: t.field({ type: 'DateTime', description: 'When it was logged; now by default.' }),
  }),
})

mutation('recordRunMedia', {
  type: RunType,
  payload: { name: 'run', description: 'The run.' },
  description:
    'Stores media of a running run. The same entry again changes nothing; another one at its key, step and index ' +
    'replaces it. 409 for any credential that has not claimed the run.',
  scope: 'key:train',
  target: targetRun,
  input: input('The media of a run.', (t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    attempt: t.int({ ...rule(z.int().min(1)), description: 'The `attempt` returned by the claim.' }),
    media: t.field({
      type: [RunMediaInput],
      required: true,
      ...rule(z.array(z.unknown()).min(1).max(MAX_MEDIA_BATCH)),
      description: `1 to ${MAX_MEDIA_BATCH} entries.`,
    }),
  })),
  verb: recordRunMedia,
})
