/** States of a spend hold. Pure. Spec, "Spend hold" (states). */
import { HubError } from '../../platform/errors.ts'

export type SpendHoldStatus = 'pending' | 'approved' | 'denied' | 'canceled' | 'expired'

/** The triggers, and the state to which each moves a pending hold. Every other state is final. */
export const holdMoves = { approve: 'approved', deny: 'denied', cancel: 'canceled', expire: 'expired' } as const

export type HoldTrigger = keyof typeof holdMoves

/** The state after the trigger; 409 `conflict.not_pending` for a hold that is no longer pending. */
export function nextHoldStatus(trigger: HoldTrigger, status: SpendHoldStatus): SpendHoldStatus {
  if (status === 'pending') return holdMoves[trigger]
  throw new HubError('conflict.not_pending', `The hold is ${status}, no longer pending.`)
}
