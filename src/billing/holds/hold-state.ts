/** States of a spend hold. Pure. Spec, "Spend hold" (states). */
import { HubError } from '../../platform/errors.ts'

export type SpendHoldStatus = 'pending' | 'approved' | 'denied' | 'canceled' | 'expired'

/** What moves a hold, and where it leads from `pending`; from every other state nothing does. */
export const holdMoves = { approve: 'approved', deny: 'denied', cancel: 'canceled', expire: 'expired' } as const

export type HoldTrigger = keyof typeof holdMoves

/** The state after the trigger; 409 `conflict.not_pending` for a hold that is no longer pending. */
export function nextHoldStatus(trigger: HoldTrigger, status: SpendHoldStatus): SpendHoldStatus {
  if (status === 'pending') return holdMoves[trigger]
  throw new HubError('conflict.not_pending', `The hold is ${status}, no longer pending.`)
}
