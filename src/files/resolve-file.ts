/** resolveFile (contract, "Additions": `GET` and `HEAD …/resolve/{path}`), so that `curl -L`, a viewer and a browser can read a file. */
import type { RequestContext } from '../operation/context.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { pathFault } from '../platform/file-path.ts'
import { findRepo } from '../repos/get-repo.ts'
import { requireObjects } from '../store/objects/required.ts'
import { signDownload, storedFiles } from './presign-download.ts'

export interface ResolvedFile {
  /** The verified SHA-256: the ETag. Null until the hub has hashed the bytes; the response then has no ETag. */
  readonly sha256: string | null
  readonly mime: string | null
  /** Signs a URL for an hour; not called for a 304. */
  readonly sign: () => Promise<string>
}

/** The live file at a path. Errors: 404 the repo or the path, 422 `validation.path`, 503. Two statements. */
export async function resolveFile(
  ctx: RequestContext,
  input: { readonly owner: string; readonly repo: string; readonly path: string },
): Promise<ResolvedFile> {
  const fault = pathFault(input.path)
  if (fault) throw invalid('validation.path', `The path ${fault}.`, ['path', 'path'])
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  requireObjects(ctx.deps)
  const [file] = await ctx.deps.db.query(storedFiles, [repo.id, [input.path]])
  if (!file) throw notFound(`The file ${JSON.stringify(input.path)} of ${repo.fullName}`)
  return { sha256: file.sha256, mime: file.mime, sign: () => signDownload(ctx, file) }
}
