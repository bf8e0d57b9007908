/** What a state has at some paths: files and folders. */
import { plainText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { MAX_PREFIX_LENGTH } from '../../src/files/limits.ts'
import { entriesOf, MAX_ENTRY_PATHS, type RepoEntry } from '../../src/files/versions/entries-at.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { RepoFile } from './file.ts'
import { RepoStateType } from './state.ts'

const RepoEntryType = builder.objectRef<RepoEntry>('RepoEntry').implement({
  description: 'What a state has at a path: a file, or a folder, which is there because a file is in it.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path that was asked for.' }),
    file: t.expose('file', { type: RepoFile, nullable: true, description: 'The file; null for a folder.' }),
  }),
})

builder.objectField(RepoStateType, 'entries', (t) =>
  t.field({
    type: [RepoEntryType],
    most: MAX_ENTRY_PATHS,
    description: `What it has at some paths, at most ${MAX_ENTRY_PATHS}, in their order; a path that it does not have is left out.`,
    args: {
      paths: t.arg.stringList({
        required: true,
        ...rule(z.array(plainText(MAX_PREFIX_LENGTH)).max(MAX_ENTRY_PATHS)),
        description: 'Paths of files or folders.',
      }),
    },
    resolve: (state, { paths }, ctx) => entriesOf(ctx, state, paths),
  }),
)
