/** Making and deleting snapshots, restoring states, purging files. Contract, "Versions". */

import { descriptionText } from '@hub/formats/text-rules'
import { MAX_FILES_PER_REQUEST } from '../../src/files/limits.ts'
import { presignDownloadInput } from '../../src/files/schemas.ts'
import { purgeFiles } from '../../src/files/versions/purge.ts'
import { restorePaths, restoreState } from '../../src/files/versions/restore.ts'
import { createSnapshot, deleteSnapshot } from '../../src/files/versions/snapshots.ts'
import { seqNumber, snapshotNameText, stateText } from '../../src/files/versions/state-name.ts'
import { builder } from '../builder.ts'
import { repoName, rule } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { AT_TEXT } from './file.ts'
import { messageField } from './message-input.ts'
import { RepoSnapshotType } from './versions.ts'

mutation('createSnapshot', {
  type: RepoSnapshotType,
  description:
    "Names a state of a repo, which keeps its files. Bytes that only snapshots keep count in the owner's " +
    'storage: 413 if they do not fit. 409 if the repo has a snapshot of that name.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo, the name and the state.', (t) => ({
    ...repoName(t),
    name: t.string({
      required: true,
      ...rule(snapshotNameText),
      description:
        '1 to 64 letters, digits and `._-`, starting with a letter, and not with `run_`; or, with `snapshot:` before ' +
        'it, also one that starts with a digit.',
    }),
    at: t.string({ ...rule(stateText), description: `${AT_TEXT} The current state if absent.` }),
    note: t.string({ ...rule(descriptionText), description: 'Anything to remember about it.' }),
  })),
  payload: { name: 'snapshot', description: 'The new snapshot.' },
  verb: createSnapshot,
})

const DeletedSnapshot = builder.objectRef<{ name: string }>('DeletedSnapshot').implement({
  description: 'A deleted snapshot.',
  fields: (t) => ({ name: t.exposeString('name', { description: 'Its name.' }) }),
})

mutation('deleteSnapshot', {
  type: DeletedSnapshot,
  description:
    'Deletes a snapshot. What it alone kept is removed by collection once the grace period is over. 403 for ' +
    'every agent key.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The snapshot to delete.', (t) => ({
    ...repoName(t),
    name: t.string({ required: true, description: 'Its name, with or without `snapshot:`.' }),
  })),
  verb: deleteSnapshot,
})

const RestoredState = builder.objectRef<Awaited<ReturnType<typeof restoreState>>>('RestoredState').implement({
  description: 'Result of restoring a state.',
  fields: (t) => ({
    seq: t.exposeInt('seq', {
      description: "The repo's change number afterwards; the one before if nothing differed.",
    }),
    restoredSeq: t.exposeInt('restoredSeq', { description: 'Number of the state that was restored.' }),
    added: t.exposeInt('added', { description: 'Paths that got their file back.' }),
    removed: t.exposeInt('removed', { description: 'Paths that the state does not have.' }),
    changed: t.exposeInt('changed', { description: 'Paths that got other bytes.' }),
  }),
})

mutation('restoreState', {
  type: RestoredState,
  description:
    'Makes the live files those of a state, as a new change: nothing is lost, and the change before can be ' +
    'restored in turn. Files that were purged from the state are left as they are now. 409 if `paths` would ' +
    'leave a file at a path that is also a folder, 412 if the repo is not at `ifSeq`, 413 if the bytes do not ' +
    'fit.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the state.', (t) => ({
    ...repoName(t),
    at: t.string({ required: true, ...rule(stateText), description: AT_TEXT }),
    paths: t.stringList({
      ...rule(restorePaths),
      description: 'Only these files, and folders that end with `/`: 1 to 100. All of the repo if absent.',
    }),
    ifSeq: t.int({
      ...rule(seqNumber),
      description: 'Only if this is the number of the latest change, so that no later one is undone unseen.',
    }),
    ...messageField(t),
  })),
  verb: restoreState,
})

const PurgedFiles = builder.objectRef<Awaited<ReturnType<typeof purgeFiles>>>('PurgedFiles').implement({
  description: 'Result of purging files.',
  fields: (t) => ({
    purged: t.exposeStringList('purged', { most: MAX_FILES_PER_REQUEST, description: 'Paths that were purged.' }),
    missing: t.exposeStringList('missing', {
      most: MAX_FILES_PER_REQUEST,
      description: 'Requested paths that no state has, those that were purged before included.',
    }),
  }),
})

mutation('purgeFiles', {
  type: PurgedFiles,
  description:
    'Removes paths from every state of a repo, for a secret that was pushed by mistake: from the current one, ' +
    'the history, snapshots and what runs pinned. Bytes that no other file holds are deleted at once, without a ' +
    'grace period. It cannot be undone. 403 for every agent key.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the paths to purge.', (t) => ({
    ...repoName(t),
    paths: t.stringList({
      required: true,
      ...rule(presignDownloadInput.shape.paths),
      description: '1 to 100 entries.',
    }),
    ...messageField(t),
  })),
  verb: purgeFiles,
})
