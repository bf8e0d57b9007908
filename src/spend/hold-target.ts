import type { HoldTarget } from '../auth/hold-policy.ts'
import type { SpendHold } from '../billing/holds/hold-shape.ts'

/** The facts of a hold that decide who can see, decide or cancel it. */
export const holdTarget = ({ account, filedBy, createdBy }: SpendHold): HoldTarget => ({
  accountId: account.id,
  filedBy,
  createdBy,
})
