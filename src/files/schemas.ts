/**
 * Input schemas of the file operations (spec, "Files"), in GraphQL names. The verb checks rules that need the database
 * or several members.
 */

import { filePath, newFilePath } from '@hub/formats/file-path-rule'
import { changeMessageText, contentTypeText, plainText, sha256Text } from '@hub/formats/text-rules'
import { pathFault } from '@hub/text/file-path'
import { z } from 'zod'
import {
  MAX_FILES_PER_REQUEST,
  MAX_INLINE_BYTES,
  MAX_INLINE_FILES,
  MAX_PREFIX_LENGTH,
  MAX_TREE_LIMIT,
  MIB,
  MIN_PART_SIZE_BYTES,
  PART_SIZE_BYTES,
} from './limits.ts'
import { stateText } from './versions/state-name.ts'

const repoName = { owner: z.string(), repo: z.string() }

/** Of every input that changes the files of a repo. */
const said = { message: changeMessageText.nullish() }

const upTo100 = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(MAX_FILES_PER_REQUEST)

/** The verb checks the upper bound: over 50 GiB is 413, not 422. */
export const presignUploadFile = z.object({
  path: newFilePath,
  size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  sha256: sha256Text,
  contentType: contentTypeText.nullish(),
  partSize: z
    .number()
    .int()
    .min(MIN_PART_SIZE_BYTES, { abort: true })
    .max(PART_SIZE_BYTES, { abort: true })
    .multipleOf(MIB)
    .nullish(),
})

export const presignUploadInput = z.object({ ...repoName, files: upTo100(presignUploadFile) })

export const completedPart = z.object({ partNumber: z.number().int().min(1), etag: z.string().min(1).max(256) })

export const completedUpload = z.object({
  path: newFilePath,
  uploadId: z.string().min(1).max(256),
  parts: z.array(completedPart).min(1).max(10_000),
  ifNoneMatch: z.string().regex(/^\*$/, 'must be *').nullish(),
  ifMatch: sha256Text.nullish(),
})

export const fileToLink = z.object({
  ...presignUploadFile.omit({ partSize: true }).shape,
  ifNoneMatch: completedUpload.shape.ifNoneMatch,
  ifMatch: completedUpload.shape.ifMatch,
})

const linkFilesInput = z.object({ ...repoName, ...said, files: upTo100(fileToLink) })

const completeUploadInput = z.object({ ...repoName, ...said, uploads: upTo100(completedUpload) })

export const abortUploadInput = z.object({ ...repoName, uploadId: z.string().min(1).max(256) })

export const presignDownloadInput = z.object({ ...repoName, paths: upTo100(filePath), at: stateText.nullish() })

export const presignBlob = presignUploadFile.omit({ path: true, contentType: true })

const presignBlobsInput = z.object({ ...repoName, blobs: upTo100(presignBlob) })

export const completedBlob = completedUpload.pick({ uploadId: true, parts: true })

const completeBlobsInput = z.object({ ...repoName, uploads: upTo100(completedBlob) })

/** The bytes of a base64 text, by its length and padding. */
const bytesOfBase64 = (text: string) => (text.length / 4) * 3 - (/=*$/.exec(text)?.[0].length ?? 0)

/** Base64 of at most 64 KiB: two bytes more would have as many characters. */
export const inlineContent = z
  .string()
  .max(Math.ceil(MAX_INLINE_BYTES / 3) * 4)
  .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'must be base64')
  .refine((text) => bytesOfBase64(text) <= MAX_INLINE_BYTES, `must be base64 of at most ${MAX_INLINE_BYTES} bytes`)

const storeBlobsInput = z.object({ ...repoName, contents: z.array(inlineContent).min(1).max(MAX_INLINE_FILES) })

export const commitAdd = z.object({
  path: newFilePath,
  sha256: sha256Text.nullish(),
  size: presignUploadFile.shape.size.nullish(),
  content: inlineContent.nullish(),
})

/** A file, or a folder that ends with `/`. */
export const fileOrFolder = z.string().superRefine((path, issue) => {
  const fault = pathFault(path.endsWith('/') ? path.slice(0, -1) : path)
  if (fault) issue.addIssue({ code: 'custom', message: fault, params: { type: 'validation.path' } })
})

export const commitCopy = z.object({ path: newFilePath, from: filePath, at: stateText.nullish() })

export const parentCommit = z.string().regex(/^[0-9a-f]{40}$/, 'must be a commit id: 40 hex digits')

const commitFilesInput = z.object({
  ...repoName,
  ...said,
  parentCommit: parentCommit.nullish(),
  runId: z.string().nullish(),
  add: z.array(commitAdd).nullish(),
  delete: z.array(fileOrFolder).nullish(),
  copy: z.array(commitCopy).nullish(),
})

const deleteFilesInput = z.object({ ...repoName, ...said, paths: upTo100(filePath) })

export const treePrefix = plainText(MAX_PREFIX_LENGTH)

export const treeLimit = z.number().int().min(1).max(MAX_TREE_LIMIT)

export type PresignBlob = z.output<typeof presignBlob>
export type PresignBlobsInput = z.output<typeof presignBlobsInput>
export type CompleteBlobsInput = z.output<typeof completeBlobsInput>
export type StoreBlobsInput = z.output<typeof storeBlobsInput>
export type CommitFilesInput = z.output<typeof commitFilesInput>
export type CommitAdded = z.output<typeof commitAdd>
export type PresignUploadInput = z.output<typeof presignUploadInput>
export type PresignUploadFile = z.output<typeof presignUploadFile>
export type FileToLink = z.output<typeof fileToLink>
export type LinkFilesInput = z.output<typeof linkFilesInput>
export type CompleteUploadInput = z.output<typeof completeUploadInput>
export type CompletedUpload = z.output<typeof completedUpload>
export type CompletedPart = z.output<typeof completedPart>
export type AbortUploadInput = z.output<typeof abortUploadInput>
export type PresignDownloadInput = z.output<typeof presignDownloadInput>
export type DeleteFilesInput = z.output<typeof deleteFilesInput>
