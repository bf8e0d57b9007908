/**
 * presignDownload (spec, "POST …/files/presign-download"): all or nothing; anonymous callers may use it on public
 * repos.
 */

import { baseName } from '@hub/text/file-path'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { findRepo } from '../repos/get-repo.ts'
import { column, columns } from '../store/columns.ts'
import { requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'
import { assertDistinct } from './duplicates.ts'
import { DOWNLOAD_URL_TTL_SECONDS } from './limits.ts'
import type { PresignDownloadInput } from './schemas.ts'
import { findState } from './versions/states.ts'
import { storedInState, whyAbsent } from './versions/tree-at.ts'

/** DownloadTarget (spec, "Files") without its URL. `storageKey` is only for signing; no field exposes it. */
export interface DownloadTicket {
  readonly path: string
  readonly mime: string | null
  readonly storageKey: string
}

const storedColumns = columns({
  path: column.text('f.path'),
  mime: column.text.orNull('f.mime'),
  storageKey: column.text('b.storage_key'),
  size: column.int8('b.size'),
  etag: column.text.orNull('b.etag'),
  sha256: column.text.orNull('b.sha256'),
})

/** The live files of a repo at some paths. */
export const storedFiles = statement({
  name: 'files-stored',
  exact: 'hot',
  columns: storedColumns,
  params: { repoId: param.text(), paths: param.texts() },
  text: `select ${storedColumns.sql} from files f join blobs b on b.id = f.blob_id
    where f.repo_id = :repoId and f.path = any(:paths::text[]) and f.to_seq is null`,
})

/**
 * Returns the objects to sign, in the order requested. It stores no response: a repeat under an Idempotency-Key runs
 * again, so no caller gets a URL of a deleted file. Errors: 404 the repo, or any path (each missing one listed), 422,
 * 503. Two statements; three with `at`.
 */
export async function presignDownload(
  ctx: RequestContext,
  input: PresignDownloadInput,
): Promise<{ files: DownloadTicket[] }> {
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  requireObjects(ctx.deps)
  assertDistinct(input.paths, 'path', (index) => ['paths', index])
  const state = input.at == null ? null : await findState(ctx, repo, input.at)
  const rows = state
    ? await storedInState(ctx, state, input.paths)
    : await ctx.deps.db.query(storedFiles, { repoId: repo.id, paths: input.paths })
  const byPath = new Map(rows.map((row) => [row.path, row]))
  const missing: number[] = []
  const files = input.paths.flatMap((path, index) => {
    const row = byPath.get(path)
    if (row) return [{ path, mime: row.mime, storageKey: row.storageKey }]
    missing.push(index)
    return []
  })
  if (missing.length === 0) return { files }
  const name = state ? `${repo.fullName} at ${input.at}` : repo.fullName
  const withdrawn = state ? await whyAbsent(ctx, state, input.paths) : new Map()
  throw missingPaths(input.paths, missing, name, withdrawn)
}

/**
 * A presigned GET URL, valid for one hour, with range support, that saves under the file's own name. No network call.
 */
export function signDownload(
  ctx: Pick<RequestContext, 'deps'>,
  ticket: Pick<DownloadTicket, 'path' | 'mime' | 'storageKey'>,
): Promise<string> {
  return requireObjects(ctx.deps).signGet(ticket.storageKey, {
    ttlSeconds: DOWNLOAD_URL_TTL_SECONDS,
    downloadName: baseName(ticket.path),
    contentType: ticket.mime ?? undefined,
  })
}

/** The RFC 3339 time at which a URL that is signed now expires. */
export function downloadExpiresAt(): string {
  return new Date(Date.now() + DOWNLOAD_URL_TTL_SECONDS * 1000).toISOString()
}

function missingPaths(
  paths: readonly string[],
  missing: readonly number[],
  repo: string,
  withdrawn: ReadonlyMap<string, string>,
): HubError {
  const names = missing.map((index) => JSON.stringify(paths[index]))
  const items = missing.map((index, place) => ({
    type: 'not_found',
    detail: withdrawn.get(paths[index] ?? '') ?? `${names[place]} is not a file of ${repo}.`,
    loc: ['paths', index],
  }))
  return new HubError(
    'not_found',
    `Not files of ${repo}: ${names.join(', ')}.${[...withdrawn.values()].map((why) => ` ${why}`).join('')}`,
    { items },
  )
}
