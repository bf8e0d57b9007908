/** Files that a request linked, when it is repeated under its Idempotency-Key. */
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import type { RepoFacts } from '../repos/get-repo.ts'
import { liveFiles } from './preconditions.ts'

const SHOWN = 5

/** 404 naming the files that are in the repo no more. A file with other bytes under the same path is there. */
export async function assertLive(
  { deps }: RequestContext,
  repo: RepoFacts,
  files: readonly { readonly path: string }[],
): Promise<void> {
  const paths = files.map(({ path }) => path)
  const there = new Set((await deps.db.query(liveFiles, { repoId: repo.id, paths })).map(({ path }) => path))
  const gone = paths.filter((path) => !there.has(path))
  if (gone.length === 0) return
  const named = gone.slice(0, SHOWN).map((path) => JSON.stringify(path))
  const more = gone.length > SHOWN ? ` and ${gone.length - SHOWN} more` : ''
  throw notFound(`A file that was linked (${named.join(', ')}${more}) in ${repo.fullName}`)
}
