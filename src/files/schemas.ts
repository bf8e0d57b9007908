/**
 * Input schemas of the file operations (spec, "Files"), in GraphQL names. The verb checks rules that need the database
 * or several members.
 */

import { filePath, newFilePath } from '@hub/formats/file-path-rule'
import { changeMessageText, contentTypeText, plainText, sha256Text } from '@hub/formats/text-rules'
import { z } from 'zod'
import {
  MAX_FILES_PER_REQUEST,
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

const deleteFilesInput = z.object({ ...repoName, ...said, paths: upTo100(filePath) })

export const treePrefix = plainText(MAX_PREFIX_LENGTH)

export const treeLimit = z.number().int().min(1).max(MAX_TREE_LIMIT)

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
