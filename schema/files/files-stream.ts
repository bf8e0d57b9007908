/** Live state of a repo's files. Contract, "Subscriptions". */
import { seqNumber } from '../../src/files/versions/state-name.ts'
import { type FileCounts, type RepoFilesEvent, watchRepoFiles } from '../../src/files/versions/watch-files.ts'
import { invalid } from '../../src/platform/errors.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { args, subscription } from '../root-field.ts'

const FileCountsType = builder.objectRef<FileCounts>('RepoFileCounts').implement({
  description: "Sum of changes of a repo's files.",
  fields: (t) => ({
    filesAdded: t.exposeInt('filesAdded', { description: 'Paths that got a file.' }),
    filesRemoved: t.exposeInt('filesRemoved', { description: 'Paths that lost their file.' }),
    filesChanged: t.exposeInt('filesChanged', { description: 'Paths whose file was replaced.' }),
    bytesAdded: t.expose('bytesAdded', { type: 'SafeInt', description: 'Bytes of the files that came.' }),
    bytesRemoved: t.expose('bytesRemoved', { type: 'SafeInt', description: 'Bytes of the files that went.' }),
  }),
})

const RepoFilesUpdate = builder.objectRef<RepoFilesEvent>('RepoFilesUpdate').implement({
  description: "The state of a repo's files.",
  fields: (t) => ({
    repoId: t.exposeID('repoId', { description: 'Id of the repo.' }),
    seq: t.exposeInt('seq', {
      description: 'Number of the last change: names the state in `at` and `diff`, and in `after` when resuming.',
    }),
    commitId: t.exposeString('commitId', {
      description: 'Commit id of the state: that of the repo, until its files change again.',
    }),
    fileCount: t.exposeInt('fileCount', { description: 'Files of the state.' }),
    totalBytes: t.expose('totalBytes', { type: 'SafeInt', description: 'Bytes of the state.' }),
    changes: t.expose('changes', {
      type: FileCountsType,
      nullable: true,
      description:
        'What led to it since the event before, or since `after`. Null in the first event without `after`, in ' +
        'the first event for a caller without the right to write the repo, and where a change is no longer on ' +
        'record.',
    }),
  }),
})

function readSeq(place: string): number {
  const seq = seqNumber.safeParse(/^\d+$/.test(place) ? Number(place) : null)
  if (seq.success) return seq.data
  throw invalid('validation.cursor', 'The position is not the number of a state.', ['after'])
}

subscription('repoFilesUpdated', {
  type: RepoFilesUpdate,
  description:
    "The current state of a repo's files, then the state after their changes. Ends when the repo is deleted or " +
    'no longer visible to the caller.',
  scope: 'none',
  args: args((t) => ({
    repoId: t.id({ required: true, description: 'Id of the repo.' }),
    after: t.int({
      ...rule(seqNumber),
      description: 'Number of the state that you have, to add up what has changed since.',
    }),
  })),
  resume: { placeOf: ({ seq }) => String(seq), after: readSeq },
  events: (ctx, input) => watchRepoFiles(ctx, input),
})
