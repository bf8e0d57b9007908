/** What is usual: the model alone. Without the loop, so that a page has it before a policy is loaded. */
import type { Disturbance } from './disturbance.ts'

/** No push, no delay and no noise, under the model's own gravity. */
export const calm: Disturbance = {
  gravity: 1,
  delayMs: 0,
  observationNoise: 0,
  actionNoise: 0,
  pushN: 0,
  pushEveryS: 2,
  pushForS: 0.1,
}
