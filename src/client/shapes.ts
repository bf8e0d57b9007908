/** The members of `/v1` that the client reads (spec, "Files" and "Repo"). Unknown members are let through: a newer hub may say more. */
import { z } from 'zod'

const nullable = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null)

const remoteFile = z.looseObject({
  path: z.string(),
  size: z.number().int().min(0),
  etag: nullable(z.string()),
  sha256: nullable(z.string()),
  mime: nullable(z.string()),
  updated_at: z.string(),
})
export type RemoteFile = z.output<typeof remoteFile>

export const treePage = z.looseObject({ items: z.array(remoteFile), next_cursor: nullable(z.string()) })

export const remoteRepo = z.looseObject({
  id: z.string(),
  kind: z.string(),
  full_name: z.string(),
  visibility: z.string(),
  description: nullable(z.string()),
  tags: z.array(z.string()).default([]),
  file_summary: z.looseObject({ count: z.number(), total_bytes: z.number(), verified_count: z.number() }),
  updated_at: z.string(),
})
export type RemoteRepo = z.output<typeof remoteRepo>

export const repoPage = z.looseObject({ items: z.array(remoteRepo), next_cursor: nullable(z.string()) })

const uploadTarget = z.looseObject({
  path: z.string(),
  upload_id: z.string(),
  part_size: z.number().int().min(1),
  parts: z.array(z.looseObject({ part_number: z.number().int().min(1), url: z.string() })),
  uploaded: z.array(z.number().int()).default([]),
})
export type UploadTarget = z.output<typeof uploadTarget>

export const presignedUploads = z.looseObject({ uploads: z.array(uploadTarget), expires_at: z.string() })

const downloadTarget = z.looseObject({ path: z.string(), url: z.string(), expires_at: z.string() })
export type DownloadTarget = z.output<typeof downloadTarget>

export const presignedDownloads = z.looseObject({ files: z.array(downloadTarget) })
export const completedFiles = z.looseObject({ files: z.array(remoteFile) })
export const deletedFiles = z.looseObject({ deleted: z.array(z.string()), missing: z.array(z.string()) })
export const anything = z.looseObject({})

export interface PresignFile {
  readonly path: string
  readonly size: number
  readonly sha256: string
}

export interface CompletedUpload {
  readonly path: string
  readonly upload_id: string
  readonly parts: ReadonlyArray<{ readonly part_number: number; readonly etag: string }>
}
