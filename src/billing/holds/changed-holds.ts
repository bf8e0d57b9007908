/** How the list of an account's spend holds is followed, by `followChanges`. A hold is never deleted. */
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { getHoldsById } from './get-hold.ts'
import type { SpendHold } from './hold-shape.ts'

export const changedHolds: ChangedList<SpendHold> = { kind: 'spend_hold', wokenBy: 'spend', byId: getHoldsById }
