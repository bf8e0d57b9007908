/** Upload, download and delete. Spec, "Files"; contract, "Uploads resume". */
import { z } from 'zod'
import { abortUpload } from '../../src/files/abort-upload.ts'
import { completeUpload } from '../../src/files/complete-upload.ts'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { MAX_FILES_PER_REQUEST } from '../../src/files/limits.ts'
import {
  type DownloadTicket,
  downloadExpiresAt,
  presignDownload,
  signDownload,
} from '../../src/files/presign-download.ts'
import { partUrlsExpireAt, presignUpload, signParts, type UploadTicket } from '../../src/files/presign-upload.ts'
import {
  abortUploadInput,
  completedPart,
  completedUpload,
  presignDownloadInput,
  presignUploadFile,
} from '../../src/files/schemas.ts'
import { builder } from '../builder.ts'
import { repoName, rule } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { RepoFile } from './file.ts'

/** The length of a list alone: its members have rules of their own, and a fault shall be told once. */
const upTo = (max: number) => z.array(z.unknown()).min(1).max(max)

const UploadPart = builder.objectRef<{ partNumber: number; url: string }>('UploadPart').implement({
  description: 'Where one part goes.',
  fields: (t) => ({
    partNumber: t.exposeInt('partNumber', { description: 'From 1.' }),
    url: t.exposeString('url', {
      description: 'Takes one HTTP PUT of the part; keep the ETag of the response for complete.',
    }),
  }),
})

const UploadTarget = builder.objectRef<UploadTicket>('UploadTarget').implement({
  description: 'A pending upload of one file.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path that it will take.' }),
    uploadId: t.exposeID('uploadId', { description: 'Named again on complete.' }),
    partSize: t.exposeInt('partSize', { description: 'Bytes of each part; the last may be shorter.' }),
    parts: t.field({
      type: [UploadPart],
      description: 'One for each part, signed when the answer is made.',
      resolve: (ticket, _args, ctx) => signParts(ctx, ticket),
    }),
    uploaded: t.exposeIntList('uploaded', {
      description: 'Numbers of the parts that the store already has: a resumed upload need not send them again.',
    }),
    uploadedEtags: t.exposeStringList('uploadedEtags', {
      description: 'ETags of those parts, in the same order: what complete has to name.',
    }),
  }),
})

const PresignedUploads = builder.objectRef<Awaited<ReturnType<typeof presignUpload>>>('PresignedUploads').implement({
  description: 'One target for each requested file, in order.',
  fields: (t) => ({
    uploads: t.expose('uploads', { type: [UploadTarget], description: 'In the order asked.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'When the part URLs end.', resolve: () => partUrlsExpireAt() }),
  }),
})

const PresignUploadFile = builder.inputType('PresignUploadFile', {
  description: 'A file that the client wants to upload.',
  fields: (t) => ({
    path: t.string({
      required: true,
      ...rule(presignUploadFile.shape.path),
      description: '1 to 1024 bytes; no leading `/`, no `.` or `..` segment.',
    }),
    size: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(presignUploadFile.shape.size),
      description: 'Bytes, at most 50 GiB (53687091200).',
    }),
    sha256: t.string({
      required: true,
      ...rule(presignUploadFile.shape.sha256),
      description: 'Lowercase hex SHA-256 of the bytes.',
    }),
    contentType: t.string({
      ...rule(presignUploadFile.shape.contentType),
      description: 'What the client takes it for.',
    }),
  }),
})

mutation('presignUpload', {
  type: PresignedUploads,
  description:
    'Starts uploads, or resumes those pending for the same path, size and digest. 413 for a file over 50 GiB and for an owner without room.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The files to upload: 1 to 100 of one repo.', (t) => ({
    ...repoName(t),
    files: t.field({
      type: [PresignUploadFile],
      required: true,
      ...rule(upTo(MAX_FILES_PER_REQUEST)),
      description: '1 to 100.',
    }),
  })),
  verb: presignUpload,
})

const CompletedPart = builder.inputType('CompletedPart', {
  description: 'A part that was sent.',
  fields: (t) => ({
    partNumber: t.int({ required: true, ...rule(completedPart.shape.partNumber), description: 'From 1.' }),
    etag: t.string({
      required: true,
      ...rule(completedPart.shape.etag),
      description: 'ETag of the PUT response, with or without quotes.',
    }),
  }),
})

const CompletedUpload = builder.inputType('CompletedUpload', {
  description: 'An upload whose parts are all sent.',
  fields: (t) => ({
    path: t.string({ required: true, ...rule(completedUpload.shape.path), description: 'The path named on presign.' }),
    uploadId: t.id({ required: true, ...rule(completedUpload.shape.uploadId), description: 'From presign.' }),
    parts: t.field({ type: [CompletedPart], required: true, ...rule(upTo(10_000)), description: 'All of them.' }),
    ifNoneMatch: t.string({
      ...rule(completedUpload.shape.ifNoneMatch),
      description: '`*`: only where the path is free (else 412).',
    }),
    ifMatch: t.string({
      ...rule(completedUpload.shape.ifMatch),
      description: 'Only where the path holds bytes of this SHA-256 (else 412).',
    }),
  }),
})

const CompletedUploads = builder.objectRef<Awaited<ReturnType<typeof completeUpload>>>('CompletedUploads').implement({
  description: 'The files as they now stand.',
  fields: (t) => ({ files: t.expose('files', { type: [RepoFile], description: 'In the order asked.' }) }),
})

mutation('completeUpload', {
  type: CompletedUploads,
  description:
    'Assembles the parts, checks them and links the files, all or none. A file that fails is named, and the others stay completable.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The uploads to complete: 1 to 100 of one repo.', (t) => ({
    ...repoName(t),
    uploads: t.field({
      type: [CompletedUpload],
      required: true,
      ...rule(upTo(MAX_FILES_PER_REQUEST)),
      description: '1 to 100.',
    }),
  })),
  verb: completeUpload,
})

const AbortedUpload = builder.objectRef<{ uploadId: string }>('AbortedUpload').implement({
  description: 'An upload that was given up.',
  fields: (t) => ({ uploadId: t.exposeID('uploadId', { description: 'The id that it had.' }) }),
})

mutation('abortUpload', {
  type: AbortedUpload,
  description: 'Gives a pending upload up and frees what it reserved. 409 for one already completed or aborted.',
  scope: 'key:write',
  target: targetRepo,
  input: input('Which upload to give up.', (t) => ({
    ...repoName(t),
    uploadId: t.id({ required: true, ...rule(abortUploadInput.shape.uploadId), description: 'From presign.' }),
  })),
  verb: abortUpload,
})

const DownloadTarget = builder.objectRef<DownloadTicket>('DownloadTarget').implement({
  description: 'Where a file can be fetched from for an hour.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path asked for.' }),
    url: t.string({
      description: 'Answers GET, also of ranges.',
      resolve: (ticket, _args, ctx) => signDownload(ctx, ticket),
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When the URL ends.', resolve: () => downloadExpiresAt() }),
  }),
})

const PresignedDownloads = builder
  .objectRef<Awaited<ReturnType<typeof presignDownload>>>('PresignedDownloads')
  .implement({
    description: 'One target for each path, in order.',
    fields: (t) => ({ files: t.expose('files', { type: [DownloadTarget], description: 'In the order asked.' }) }),
  })

mutation('presignDownload', {
  type: PresignedDownloads,
  description: 'URLs for files, all or none: an unknown path is a 404 that lists every missing one.',
  scope: 'none',
  input: input('The files to fetch: 1 to 100 paths of one repo.', (t) => ({
    ...repoName(t),
    paths: t.stringList({ required: true, ...rule(presignDownloadInput.shape.paths), description: '1 to 100.' }),
  })),
  verb: presignDownload,
})

const DeletedFiles = builder.objectRef<Awaited<ReturnType<typeof deleteFiles>>>('DeletedFiles').implement({
  description: 'What was unlinked and what was not there.',
  fields: (t) => ({
    deleted: t.exposeStringList('deleted', { description: 'Paths that were unlinked.' }),
    missing: t.exposeStringList('missing', { description: 'Requested paths that did not exist.' }),
  }),
})

mutation('deleteFiles', {
  type: DeletedFiles,
  description: 'Unlinks files in one step; bytes that nothing refers to any more are collected later.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The files to delete: 1 to 100 paths of one repo.', (t) => ({
    ...repoName(t),
    paths: t.stringList({ required: true, ...rule(presignDownloadInput.shape.paths), description: '1 to 100.' }),
  })),
  verb: deleteFiles,
})
