/** What a create that an agent may have held returns: the job, or the hold. */
import { isSpendHold, type SpendHold } from '../../src/billing/holds/hold-shape.ts'

/** The options of the payload's field `hold`; `/v1` returns it with 202. */
export const holdOf = (result: { readonly id: string }): SpendHold | null => (isSpendHold(result) ? result : null)

export const holdDescription =
  'The spend hold, if a person has to approve the request first; `result` is the same hold then.'
