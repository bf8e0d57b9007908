/** Commits of many files, and the bytes that are sent ahead of them. Contract, "Commits of many files". */
import { z } from 'zod'
import type { Content } from '../../src/files/blobs/blob-rows.ts'
import { completeBlobs } from '../../src/files/blobs/complete-blobs.ts'
import { type PresignedBlob, presignBlobs } from '../../src/files/blobs/presign-blobs.ts'
import { storeBlobs } from '../../src/files/blobs/store-blobs.ts'
import { commitFiles } from '../../src/files/commit/commit-files.ts'
import { MAX_COMMIT_OPERATIONS, MAX_FILES_PER_REQUEST, MAX_INLINE_FILES } from '../../src/files/limits.ts'
import { partUrlsExpireAt } from '../../src/files/presign-upload.ts'
import {
  commitAdd,
  commitCopy,
  completedBlob,
  fileOrFolder,
  inlineContent,
  parentCommit,
  presignBlob,
} from '../../src/files/schemas.ts'
import { builder } from '../builder.ts'
import { repoName, rule } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { AT_TEXT } from './file.ts'
import { CompletedPart, UploadTarget, upTo } from './file-operations.ts'
import { messageField } from './message-input.ts'

const PresignedBlobType = builder.objectRef<PresignedBlob>('PresignedBlob').implement({
  description: 'Bytes that a commit is going to name.',
  fields: (t) => ({
    sha256: t.exposeString('sha256', { description: 'Lowercase hex SHA-256, as requested.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
    upload: t.expose('upload', {
      type: UploadTarget,
      nullable: true,
      description:
        'Where to send them; null if a commit can name them as they are: they were sent to this repo before, or are ' +
        'in a file that the caller can read.',
    }),
  }),
})

const PresignedBlobs = builder.objectRef<Awaited<ReturnType<typeof presignBlobs>>>('PresignedBlobs').implement({
  description: 'The upload of each content.',
  fields: (t) => ({
    blobs: t.expose('blobs', {
      most: MAX_FILES_PER_REQUEST,
      type: [PresignedBlobType],
      description: 'In the order requested.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the part URLs expire.',
      resolve: () => partUrlsExpireAt(),
    }),
  }),
})

const BlobToPresign = builder.inputType('BlobToPresign', {
  description: 'Bytes to send, whose path a commit names later.',
  fields: (t) => ({
    sha256: t.string({
      required: true,
      ...rule(presignBlob.shape.sha256),
      description: 'Lowercase hex SHA-256 of the bytes.',
    }),
    size: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(presignBlob.shape.size),
      description: 'Size in bytes, at most 50 GiB (53687091200).',
    }),
    partSize: t.int({
      ...rule(presignBlob.shape.partSize),
      description: 'Bytes of each part but the last: whole MiB from 8 MiB to 100 MiB, which is the default.',
    }),
  }),
})

mutation('presignBlobs', {
  type: PresignedBlobs,
  description:
    'Starts uploads without a path, or resumes pending ones of the same bytes. They hold a reservation in the quota ' +
    'and end like any upload if no commit names them. 413 for over 50 GiB or if the quota is exceeded.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the bytes to send.', (t) => ({
    ...repoName(t),
    blobs: t.field({
      type: [BlobToPresign],
      required: true,
      ...rule(upTo(MAX_FILES_PER_REQUEST)),
      description: '1 to 100 entries.',
    }),
  })),
  verb: presignBlobs,
})

const BlobType = builder.objectRef<Content>('SentBlob').implement({
  description: 'Bytes that a commit can name.',
  fields: (t) => ({
    sha256: t.exposeString('sha256', { description: 'Lowercase hex SHA-256.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
  }),
})

const sentBlobs = (name: string, description: string) =>
  builder.objectRef<{ readonly blobs: readonly Content[] }>(name).implement({
    description,
    fields: (t) => ({
      blobs: t.expose('blobs', { most: MAX_INLINE_FILES, type: [BlobType], description: 'In the order requested.' }),
    }),
  })

const CompletedBlob = builder.inputType('CompletedBlob', {
  description: 'An upload without a path whose parts have all been sent.',
  fields: (t) => ({
    uploadId: t.id({
      required: true,
      ...rule(completedBlob.shape.uploadId),
      description: 'Upload id from presignBlobs.',
    }),
    parts: t.field({ type: [CompletedPart], required: true, ...rule(upTo(10_000)), description: 'All its parts.' }),
  }),
})

mutation('completeBlobs', {
  type: sentBlobs('CompletedBlobs', 'Bytes that are whole in the store, and checked.'),
  description:
    'Assembles and checks bytes that were sent ahead, all or none; a commit does it too. 422 if size, an ETag or the ' +
    'digest differs.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the uploads without a path to complete.', (t) => ({
    ...repoName(t),
    uploads: t.field({
      type: [CompletedBlob],
      required: true,
      ...rule(upTo(MAX_FILES_PER_REQUEST)),
      description: '1 to 100 entries.',
    }),
  })),
  verb: completeBlobs,
})

mutation('storeBlobs', {
  type: sentBlobs('StoredBlobs', 'Contents that were sent ahead.'),
  description: 'Sends small contents ahead of a commit, in the request itself; empty ones too.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the contents.', (t) => ({
    ...repoName(t),
    contents: t.stringList({
      required: true,
      ...rule(z.array(inlineContent).min(1).max(MAX_INLINE_FILES)),
      description: '1 to 1,000 entries: base64 of at most 64 KiB each.',
    }),
  })),
  verb: storeBlobs,
})

const CommitAdd = builder.inputType('CommitAdd', {
  description: 'A file to add or replace: its content, or the digest and size of bytes that the hub has.',
  fields: (t) => ({
    path: t.string({
      required: true,
      ...rule(commitAdd.shape.path),
      description: '1 to 1024 bytes; no leading `/`, no `.` or `..` segment.',
    }),
    sha256: t.string({
      ...rule(commitAdd.shape.sha256),
      description: 'Of bytes that were sent ahead, or are in a file that the caller can read.',
    }),
    size: t.field({
      type: 'SafeInt',
      ...rule(commitAdd.shape.size),
      description: 'Their size in bytes; may be left out for bytes of this repo.',
    }),
    content: t.string({
      ...rule(commitAdd.shape.content),
      description: 'Base64 of at most 64 KiB, instead of digest and size.',
    }),
  }),
})

const CommitCopy = builder.inputType('CommitCopy', {
  description: 'A file of the repo to copy.',
  fields: (t) => ({
    path: t.string({ required: true, ...rule(commitCopy.shape.path), description: 'Path of the copy.' }),
    from: t.string({ required: true, ...rule(commitCopy.shape.from), description: 'Path of the file.' }),
    at: t.string({
      ...rule(commitCopy.shape.at),
      description: `${AT_TEXT} The state that the commit begins with if absent.`,
    }),
  }),
})

type Committed = Awaited<ReturnType<typeof commitFiles>>

/** What a commit did, for the answer of each mutation that makes one. */
export const committedFields = (
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Committed>,
) => ({
  commitId: t.exposeString('commitId', {
    description: 'Commit id of the state afterwards; the one before if nothing differed.',
  }),
  seq: t.exposeInt('seq', { description: "The repo's change number afterwards." }),
  added: t.exposeInt('added', { description: 'Paths that got a file.' }),
  changed: t.exposeInt('changed', { description: 'Paths that got other bytes.' }),
  removed: t.exposeInt('removed', { description: 'Paths that lost their file.' }),
})

const CommittedType = builder.objectRef<Committed>('CommittedFiles').implement({
  description: 'Result of a commit.',
  fields: committedFields,
})

const operations = <Schema extends z.ZodType>(item: Schema) => z.array(item).max(MAX_COMMIT_OPERATIONS)

mutation('commitFiles', {
  type: CommittedType,
  description:
    'Deletes, adds and copies files as one change, all or none; deletions come first. At most 100,000 operations. ' +
    '404 for a deleted or copied path that is not there, 409 for a path that would be a file and a folder, 412 if ' +
    'the repo is not at `parentCommit`, 413 if the bytes do not fit, 422 for bytes that were not sent.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and what to change.', (t) => ({
    ...repoName(t),
    parentCommit: t.string({
      ...rule(parentCommit),
      description: 'Only if this is the commit id of the current state, so that no later change is overwritten unseen.',
    }),
    add: t.field({
      type: [CommitAdd],
      ...rule(operations(z.unknown())),
      description: 'Files to add or replace; at most 1,000 with their content.',
    }),
    delete: t.stringList({
      ...rule(operations(fileOrFolder)),
      description: 'Files, and folders that end with `/`.',
    }),
    copy: t.field({
      type: [CommitCopy],
      ...rule(operations(z.unknown())),
      description: 'Files to copy inside the repo, from at most 16 past states.',
    }),
    runId: t.id({
      ...rule(z.string().max(64)),
      description:
        'The run that made these files, of a model repo: one that the caller sees. The version names it. For the key ' +
        'of a run it is that run if absent.',
    }),
    ...messageField(t),
  })),
  verb: commitFiles,
})
