/** Whether the caller may still read a repo while its archive is sent, which takes hours where they read slowly. */
import { readAsNow } from '../../auth/current-viewer.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { getReposById } from '../../repos/get-repo.ts'

/** As for those who follow a log. */
const RECHECK_MS = 30_000

/**
 * Called with each piece that is sent, asks the database twice a minute. Rejects with 404 once the credential has ended
 * or the repo is gone or hidden from it.
 */
export function stillReadable(
  { deps, viewer: first }: Pick<RequestContext, 'deps' | 'viewer'>,
  { id, fullName }: { readonly id: string; readonly fullName: string },
): () => Promise<void> {
  let [viewer, askedAt] = [first, performance.now()]
  const read = async (as: Viewer) => {
    const [repo] = await getReposById(deps.db, as, [id])
    return repo ?? null
  }
  return async () => {
    if (performance.now() - askedAt < RECHECK_MS) return
    askedAt = performance.now()
    const now = await readAsNow(deps.db, viewer, read)
    if (!now) throw notFound(`The repo ${fullName}`)
    viewer = now.viewer
  }
}
