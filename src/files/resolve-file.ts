/**
 * resolveFile (contract, "Uploads": `GET` and `HEAD …/resolve/{path}`), so that `curl -L`, a viewer and a browser can
 * read a file.
 */

import { pathFault } from '@hub/text/file-path'
import type { RequestContext } from '../operation/context.ts'
import { HubError, invalid, notFound } from '../platform/errors.ts'
import { findRepo, type RepoFacts } from '../repos/get-repo.ts'
import { requireObjects } from '../store/objects/required.ts'
import { signDownload, storedFiles } from './presign-download.ts'
import { findState } from './versions/states.ts'
import { storedInState, whyAbsent } from './versions/tree-at.ts'

export interface ResolvedFile {
  /**
   * The verified SHA-256, which is the ETag. Null until the hub has hashed the bytes; until then the response has no
   * ETag.
   */
  readonly sha256: string | null
  /** The object store's ETag, which is not a digest of the bytes. */
  readonly etag: string | null
  /** Bytes. */
  readonly size: number
  readonly mime: string | null
  /** Signs a URL for an hour; not called for a 304. */
  readonly sign: () => Promise<string>
}

/**
 * The file at a path, live or of the state `at`. Errors: 401, 403, 404 the repo, the state or the path, 422, 503. Two
 * statements; three with `at`.
 */
export async function resolveFile(
  ctx: RequestContext,
  input: { readonly owner: string; readonly repo: string; readonly path: string; readonly at?: string | null },
): Promise<ResolvedFile> {
  const fault = pathFault(input.path)
  if (fault) throw invalid('validation.path', `The path ${fault}.`, ['path', 'path'])
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  requireObjects(ctx.deps)
  const file = input.at == null ? await liveFile(ctx, repo, input.path) : await fileAt(ctx, repo, input.path, input.at)
  const { sha256, etag, size, mime } = file
  return { sha256, etag, size, mime, sign: () => signDownload(ctx, file) }
}

async function liveFile(ctx: RequestContext, repo: RepoFacts, path: string) {
  const [file] = await ctx.deps.db.query(storedFiles, { repoId: repo.id, paths: [path] })
  if (!file) throw notFound(`The file ${JSON.stringify(path)} of ${repo.fullName}`)
  return file
}

async function fileAt(ctx: RequestContext, repo: RepoFacts, path: string, at: string) {
  const state = await findState(ctx, repo, at, ['query', 'at'])
  const [file] = await storedInState(ctx, state, [path])
  if (file) return file
  const why = (await whyAbsent(ctx, state, [path])).get(path)
  throw new HubError('not_found', why ?? `${repo.fullName} had no file ${JSON.stringify(path)} at ${at}.`)
}
