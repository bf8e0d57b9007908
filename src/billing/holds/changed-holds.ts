/** How `followChanges` follows the list of an account's spend holds. A hold is never deleted, so there is no `saw`. */
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { getHoldsById } from './get-hold.ts'
import type { SpendHold } from './hold-shape.ts'

export const changedHolds: ChangedList<SpendHold> = { kind: 'spend_hold', wokenBy: 'spend', byId: getHoldsById }
