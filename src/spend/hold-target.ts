import type { HoldTarget } from '../auth/hold-policy.ts'
import type { SpendHold } from '../billing/holds/hold-shape.ts'

/** What decides who may do something with a hold. */
export const holdTarget = ({ account, filedBy, createdBy }: SpendHold): HoldTarget => ({
  accountId: account.id,
  filedBy,
  createdBy,
})
