/**
 * The `/v1` fields that the client reads (spec, "Files" and "Repo"). Unknown fields pass through: a newer hub may send
 * more.
 */
import { z } from 'zod'
import { type Answer, conformsTo } from './agreement.ts'
import type { DeepReadonly } from './deep-readonly.ts'
import type * as v1 from './v1.ts'

/** A member that may be null or absent; null then. */
export const nullable = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null)

/** A page of a list; `next_cursor` is null on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ items: z.array(item), next_cursor: nullable(z.string()) })

const remoteFile = conformsTo<v1.File>()(
  z.looseObject({
    path: z.string(),
    size: z.number().int().min(0),
    etag: nullable(z.string()),
    sha256: nullable(z.string()),
    mime: nullable(z.string()),
    updated_at: z.string(),
  }),
)
export type RemoteFile = z.output<typeof remoteFile>

export const treePage = conformsTo<Answer<'getRepoTree'>>()(pageOf(remoteFile))

export const remoteRepo = conformsTo<v1.Repo>()(
  z.looseObject({
    id: z.string(),
    kind: z.string(),
    full_name: z.string(),
    visibility: z.string(),
    description: nullable(z.string()),
    tags: z.array(z.string()).default([]),
    license: z.string().optional(),
    card_tags: z.array(z.string()).default([]),
    file_summary: z.looseObject({ count: z.number(), total_bytes: z.number(), verified_count: z.number() }),
    updated_at: z.string(),
  }),
)
export type RemoteRepo = z.output<typeof remoteRepo>

export const repoPage = conformsTo<Answer<'listRepos'>>()(pageOf(remoteRepo))

const uploadTarget = conformsTo<NonNullable<Answer<'presignBlobs'>['blobs'][number]['upload']>>()(
  z.looseObject({
    upload_id: z.string(),
    part_size: z.number().int().min(1),
    parts: z.array(z.looseObject({ part_number: z.number().int().min(1), url: z.string() })),
    uploaded: z.array(z.number().int()).default([]),
    /** Of the parts in `uploaded`; empty for a hub that names none. */
    uploaded_etags: z.array(z.string()).default([]),
  }),
)
export type UploadTarget = z.output<typeof uploadTarget>

const content = { sha256: z.string(), size: z.number().int().min(0) }
export const presignedBlobs = conformsTo<Answer<'presignBlobs'>>()(
  z.looseObject({
    blobs: z.array(z.looseObject({ ...content, upload: nullable(uploadTarget) })),
    expires_at: z.string(),
  }),
)
export const sentBlobs = conformsTo<Answer<'storeBlobs'>>()(z.looseObject({ blobs: z.array(z.looseObject(content)) }))
export const committed = conformsTo<Answer<'commitFiles'>>()(
  z.looseObject({ commit_id: z.string(), seq: z.number().int() }),
)

const downloadTarget = conformsTo<Answer<'presignDownload'>['files'][number]>()(
  z.looseObject({ path: z.string(), url: z.string(), expires_at: z.string() }),
)
export type DownloadTarget = z.output<typeof downloadTarget>

export const presignedDownloads = conformsTo<Answer<'presignDownload'>>()(
  z.looseObject({ files: z.array(downloadTarget) }),
)
export const deletedFiles = conformsTo<Answer<'deleteFiles'>>()(
  z.looseObject({ deleted: z.array(z.string()), missing: z.array(z.string()) }),
)
export const viewer = conformsTo<Answer<'me'>>()(
  z.looseObject({
    kind: z.string().default(''),
    account: z.looseObject({ handle: z.string() }),
    orgs: z.array(z.looseObject({ handle: z.string(), name: nullable(z.string()) })).default([]),
    scope: z.string().default(''),
    expires_at: nullable(z.string()),
  }),
)
export const anything = z.looseObject({})
export const cardReport = conformsTo<Answer<'validateRobotCard'>>()(
  z.looseObject({
    ok: z.boolean(),
    grade: z.string(),
    checks: z.array(
      z.looseObject({ code: z.string(), status: z.string(), message: z.string(), hint: nullable(z.string()) }),
    ),
  }),
)

export type BlobToPresign = DeepReadonly<v1.BlobToPresign>
export type CompletedBlob = DeepReadonly<v1.CompletedBlob>
export type CommitBody = DeepReadonly<v1.Operations['commitFiles']['body']>
