/** The current state of a long request's caller: visibility is rechecked while a stream is open. */
import type { Viewer } from '../operation/context.ts'
import type { Querier } from '../store/db.ts'
import { keyById, keyViewer, sessionById, sessionViewer } from './credential-rows.ts'

/** The same credential with its current access; null if it was revoked or has expired. One statement; none for an anonymous caller. */
export async function currentViewer(db: Querier, viewer: Viewer): Promise<Viewer | null> {
  if (viewer.kind === 'anonymous') return viewer
  if (viewer.kind === 'key') {
    const [key] = await db.query(keyById, [viewer.credentialId])
    return key?.live ? keyViewer(key) : null
  }
  const [session] = await db.query(sessionById, [viewer.credentialId, viewer.account.id])
  return session?.live ? sessionViewer(session) : null
}
