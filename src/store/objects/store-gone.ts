/** Maps failures of the object store to HTTP errors. */
import { HubError } from '../../platform/errors.ts'
import { lostObject } from './lost-object.ts'
import { ObjectStoreError } from './object-store.ts'

/**
 * 503 `unavailable` for an unreachable or full store, 502 `store.lost` for an object that no one has named better; null
 * for any other error.
 */
export function storeGone(error: unknown): HubError | null {
  if (!(error instanceof ObjectStoreError)) return null
  if (error.code === 'full')
    return new HubError(
      'unavailable',
      'The disk of the object store is full, so nothing was kept; its operator has to make room.',
      { cause: error, facts: { retryAfterS: 60 } },
    )
  if (error.code === 'no_such_object') return lostObject('Something that the answer needs', error)
  if (error.code !== 'unavailable') return null
  return new HubError('unavailable', 'The object store does not respond; try again.', {
    cause: error,
    facts: { retryAfterS: 1 },
  })
}
