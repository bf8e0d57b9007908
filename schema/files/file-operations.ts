/** Upload, download and delete. Spec, "Files"; contract, "Uploads". */
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
import { AT_TEXT, RepoFile } from './file.ts'
import { messageField } from './message-input.ts'

/** Only the length of a list: its members have rules of their own, and a fault is reported once. */
export const upTo = (max: number) => z.array(z.unknown()).min(1).max(max)

const UploadPart = builder.objectRef<{ partNumber: number; url: string }>('UploadPart').implement({
  description: 'A presigned URL for one part of an upload.',
  fields: (t) => ({
    partNumber: t.exposeInt('partNumber', { description: 'Part number, from 1.' }),
    url: t.exposeString('url', {
      description: 'PUT the bytes of the part here; pass the ETag of the response to completeUpload.',
    }),
  }),
})

export const UploadTarget = builder.objectRef<UploadTicket>('UploadTarget').implement({
  description: 'A pending upload of one file.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path that the file will have; empty for presignBlobs.' }),
    uploadId: t.exposeID('uploadId', { description: 'Pass it to completeUpload.' }),
    partSize: t.exposeInt('partSize', { description: 'Size of each part in bytes; the last one may be shorter.' }),
    parts: t.field({
      most: 100,
      type: [UploadPart],
      description: 'One URL per part, signed when the response is sent.',
      resolve: (ticket, _args, ctx) => signParts(ctx, ticket),
    }),
    uploaded: t.exposeIntList('uploaded', {
      most: 100,
      description: 'Numbers of the parts already stored: a resumed upload need not send them again.',
    }),
    uploadedEtags: t.exposeStringList('uploadedEtags', {
      most: 100,
      description: 'ETags of those parts, in the same order, for completeUpload.',
    }),
  }),
})

const PresignedUploads = builder.objectRef<Awaited<ReturnType<typeof presignUpload>>>('PresignedUploads').implement({
  description: 'The upload targets, one per requested file.',
  fields: (t) => ({
    uploads: t.expose('uploads', {
      most: MAX_FILES_PER_REQUEST,
      type: [UploadTarget],
      description: 'In the order requested.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the part URLs expire.',
      resolve: () => partUrlsExpireAt(),
    }),
  }),
})

const PresignUploadFile = builder.inputType('PresignUploadFile', {
  description: 'A file to upload.',
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
      description: 'Size in bytes, at most 50 GiB (53687091200).',
    }),
    sha256: t.string({
      required: true,
      ...rule(presignUploadFile.shape.sha256),
      description: 'Lowercase hex SHA-256 of the bytes.',
    }),
    contentType: t.string({
      ...rule(presignUploadFile.shape.contentType),
      description: 'Media type, used if the hub cannot detect it.',
    }),
    partSize: t.int({
      ...rule(presignUploadFile.shape.partSize),
      description:
        'Bytes of each part but the last: whole MiB from 8 MiB to 100 MiB, which is the default. A pending ' +
        'upload that is resumed keeps its own.',
    }),
  }),
})

mutation('presignUpload', {
  type: PresignedUploads,
  description:
    'Starts uploads, or resumes pending ones for the same path, size and digest. 409 for a path that is a folder ' +
    "of the repo or below one of its files, 413 for a file over 50 GiB or if the owner's quota is exceeded.",
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the files to upload.', (t) => ({
    ...repoName(t),
    files: t.field({
      type: [PresignUploadFile],
      required: true,
      ...rule(upTo(MAX_FILES_PER_REQUEST)),
      description: '1 to 100 entries.',
    }),
  })),
  verb: presignUpload,
})

export const CompletedPart = builder.inputType('CompletedPart', {
  description: 'An uploaded part.',
  fields: (t) => ({
    partNumber: t.int({ required: true, ...rule(completedPart.shape.partNumber), description: 'Part number, from 1.' }),
    etag: t.string({
      required: true,
      ...rule(completedPart.shape.etag),
      description: 'ETag of the PUT response, with or without quotes.',
    }),
  }),
})

const CompletedUpload = builder.inputType('CompletedUpload', {
  description: 'An upload whose parts have all been sent.',
  fields: (t) => ({
    path: t.string({
      required: true,
      ...rule(completedUpload.shape.path),
      description: 'Path given to presignUpload.',
    }),
    uploadId: t.id({
      required: true,
      ...rule(completedUpload.shape.uploadId),
      description: 'Upload id from presignUpload.',
    }),
    parts: t.field({ type: [CompletedPart], required: true, ...rule(upTo(10_000)), description: 'Number of runs.' }),
    ifNoneMatch: t.string({
      ...rule(completedUpload.shape.ifNoneMatch),
      description: '`*`: only if no file exists at the path (else 412).',
    }),
    ifMatch: t.string({
      ...rule(completedUpload.shape.ifMatch),
      description: 'Only if the file at the path has this SHA-256 (else 412).',
    }),
  }),
})

const CompletedUploads = builder.objectRef<Awaited<ReturnType<typeof completeUpload>>>('CompletedUploads').implement({
  description: 'The completed files.',
  fields: (t) => ({
    files: t.expose('files', { most: MAX_FILES_PER_REQUEST, type: [RepoFile], description: 'In the order requested.' }),
  }),
})

mutation('completeUpload', {
  type: CompletedUploads,
  description:
    'Assembles the parts, verifies them and links the files, all or none. Errors name the files that failed; the ' +
    'others can still be completed. 409 for a path that is a folder of the repo or below one of its files.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the uploads to complete.', (t) => ({
    ...repoName(t),
    uploads: t.field({
      type: [CompletedUpload],
      required: true,
      ...rule(upTo(MAX_FILES_PER_REQUEST)),
      description: '1 to 100 entries.',
    }),
    ...messageField(t),
  })),
  verb: completeUpload,
})

const AbortedUpload = builder.objectRef<{ uploadId: string }>('AbortedUpload').implement({
  description: 'An aborted upload.',
  fields: (t) => ({ uploadId: t.exposeID('uploadId', { description: 'Its id.' }) }),
})

mutation('abortUpload', {
  type: AbortedUpload,
  description:
    'Aborts a pending upload and releases its storage reservation. 409 if it is already completed or aborted.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The upload to abort.', (t) => ({
    ...repoName(t),
    uploadId: t.id({
      required: true,
      ...rule(abortUploadInput.shape.uploadId),
      description: 'Upload id from presignUpload.',
    }),
  })),
  verb: abortUpload,
})

const DownloadTarget = builder.objectRef<DownloadTicket>('DownloadTarget').implement({
  description: 'A presigned download URL, valid for one hour.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The requested path.' }),
    url: t.string({
      description: 'Supports GET, including range requests.',
      resolve: (ticket, _args, ctx) => signDownload(ctx, ticket),
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When the URL expires.', resolve: () => downloadExpiresAt() }),
  }),
})

const PresignedDownloads = builder
  .objectRef<Awaited<ReturnType<typeof presignDownload>>>('PresignedDownloads')
  .implement({
    description: 'The download targets, one per requested path.',
    fields: (t) => ({
      files: t.expose('files', {
        most: MAX_FILES_PER_REQUEST,
        type: [DownloadTarget],
        description: 'In the order requested.',
      }),
    }),
  })

mutation('presignDownload', {
  type: PresignedDownloads,
  description: 'Presigned URLs for files, all or none: 404 lists every missing path.',
  scope: 'none',
  input: input('The repo and the paths to download.', (t) => ({
    ...repoName(t),
    paths: t.stringList({
      required: true,
      ...rule(presignDownloadInput.shape.paths),
      description: '1 to 100 entries.',
    }),
    at: t.string({ ...rule(presignDownloadInput.shape.at), description: AT_TEXT }),
  })),
  verb: presignDownload,
})

const DeletedFiles = builder.objectRef<Awaited<ReturnType<typeof deleteFiles>>>('DeletedFiles').implement({
  description: 'Result of deleting files.',
  fields: (t) => ({
    deleted: t.exposeStringList('deleted', { most: MAX_FILES_PER_REQUEST, description: 'Paths that were deleted.' }),
    missing: t.exposeStringList('missing', {
      most: MAX_FILES_PER_REQUEST,
      description: 'Requested paths that did not exist.',
    }),
  }),
})

mutation('deleteFiles', {
  type: DeletedFiles,
  description: 'Deletes files in one transaction; unreferenced bytes are collected later.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the paths to delete.', (t) => ({
    ...repoName(t),
    paths: t.stringList({
      required: true,
      ...rule(presignDownloadInput.shape.paths),
      description: '1 to 100 entries.',
    }),
    ...messageField(t),
  })),
  verb: deleteFiles,
})
