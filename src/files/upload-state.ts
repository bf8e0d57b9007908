/** The state machine of an upload, as a table. Pure; the SQL conditions are derived from it. */

export type UploadState = 'pending' | 'completing' | 'assembled' | 'completed' | 'aborted'

export type UploadEvent = 'claim' | 'putBack' | 'keep' | 'link' | 'reject' | 'abort'

interface Transition {
  readonly from: readonly UploadState[]
  readonly to: UploadState
}

/**
 * `claim`: a completion claims the upload. `putBack`: it failed before the store assembled the parts. `keep`: another
 * file of the request failed, but this object is complete in the store. `link`: the file row is inserted. `reject`: the
 * bytes do not match the claimed size or digest. `abort`: the client aborted, the upload was abandoned, or its repo is
 * gone. A `completing` upload whose lease has expired counts as `pending` for `claim` and `abort`.
 */
export const uploadTransitions: Readonly<Record<UploadEvent, Transition>> = {
  claim: { from: ['pending', 'assembled'], to: 'completing' },
  putBack: { from: ['completing'], to: 'pending' },
  keep: { from: ['completing'], to: 'assembled' },
  link: { from: ['completing', 'assembled'], to: 'completed' },
  reject: { from: ['completing'], to: 'aborted' },
  abort: { from: ['pending', 'assembled'], to: 'aborted' },
}

/** Why `event` cannot happen to an upload in `state`; null when it can. */
export function uploadRefusal(
  event: 'claim' | 'abort',
  state: UploadState,
  leaseHeld: boolean,
): 'conflict.terminal' | 'conflict.in_progress' | null {
  if (uploadTransitions[event].from.includes(state)) return null
  if (state === 'completing') return leaseHeld ? 'conflict.in_progress' : null
  return 'conflict.terminal'
}

/** States in which an upload still holds its reservation and its bytes in the store. */
export const openStates: readonly UploadState[] = ['pending', 'completing', 'assembled']

/** The states as a list for SQL's `in (…)`. */
export function sqlStates(states: readonly UploadState[]): string {
  return states.map((state) => `'${state}'`).join(', ')
}
