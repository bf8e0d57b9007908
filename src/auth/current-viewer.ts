/** Looks up the caller of a long request again, so that visibility is rechecked while a stream is open. */
import { isDeepStrictEqual } from 'node:util'
import DataLoader from 'dataloader'
import type { Credentialed, Viewer } from '../operation/context.ts'
import { withoutShare } from '../store/connection-share.ts'
import type { Querier } from '../store/db.ts'
import { keysById, keyViewer, sessionsById, sessionViewer } from './credential-rows.ts'

/**
 * The same credential with its current access; null if it was revoked or has expired. Calls are batched: one statement
 * for all keys and one for all sessions that were asked for while the one before was in progress; none for an anonymous
 * caller.
 */
export async function currentViewer(db: Querier, viewer: Viewer): Promise<Viewer | null> {
  return viewer.kind === 'anonymous' ? viewer : loaderOf(db).load(viewer)
}

/**
 * What `read` finds for the caller, and the caller as it is after that; null once the credential has ended or `read`
 * finds nothing. The rights are looked up last: what was written after they were taken away is never shown. A caller
 * whose access has changed reads once more.
 */
export async function readAsNow<T>(
  db: Querier,
  last: Viewer,
  read: (viewer: Viewer) => Promise<T | null>,
): Promise<{ readonly viewer: Viewer; readonly found: T } | null> {
  const before = await read(last)
  const viewer = await currentViewer(db, last)
  if (!viewer) return null
  // An outcome of earlier rights says nothing: a repo may be visible to the caller only now.
  const found = isDeepStrictEqual(viewer, last) ? before : await read(viewer)
  return found === null ? null : { viewer, found }
}

type Loader = DataLoader<Credentialed, Credentialed | null, string>
const loaders = new WeakMap<Querier, Loader>()

function loaderOf(db: Querier): Loader {
  const known = loaders.get(db)
  if (known) return known
  let before: Promise<unknown> = Promise.resolve()
  // No cache: a result is shared only by calls that were made before its statement was sent. Streams that are woken
  // together have read at different moments, each of which would send a statement of its own.
  const made: Loader = new DataLoader(
    (viewers) => {
      const reading = withoutShare(() => readViewers(db, viewers))
      before = reading.catch(() => undefined)
      return reading
    },
    { cache: false, batchScheduleFn: (send) => void before.then(send) },
  )
  loaders.set(db, made)
  return made
}

async function readViewers(db: Querier, viewers: readonly Credentialed[]): Promise<(Credentialed | null)[]> {
  const idsOf = (kind: Credentialed['kind']) => [
    ...new Set(viewers.filter((viewer) => viewer.kind === kind).map(({ credentialId }) => credentialId)),
  ]
  const [keyIds, sessionIds] = [idsOf('key'), idsOf('session')]
  const [keys, sessions] = await Promise.all([
    keyIds.length === 0 ? [] : db.query(keysById, { ids: keyIds }),
    sessionIds.length === 0 ? [] : db.query(sessionsById, { ids: sessionIds }),
  ])
  const current = new Map<string, Credentialed>()
  for (const key of keys) if (key.live && !key.disabled) current.set(key.id, keyViewer(key))
  for (const session of sessions) if (session.live && !session.disabled) current.set(session.id, sessionViewer(session))
  return viewers.map(({ credentialId, account }) => {
    const now = current.get(credentialId)
    return now?.account.id === account.id ? now : null
  })
}
