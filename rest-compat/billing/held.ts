import type { HeldAnswer } from '../engine/route.ts'

/** A create that may be held: 202 with the spend hold. */
export const heldAsHold = {
  unwrap: 'hold',
  status: 202,
  headers: ({ id }) => ({ Location: `/v1/spend/holds/${id}` }),
} as const satisfies HeldAnswer
