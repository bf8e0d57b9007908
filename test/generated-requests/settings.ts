/** How many to make, and from which seed. */
import { randomInt } from 'node:crypto'
import { isFull } from '../support/torture.ts'

/** `HUB_TEST_SEED` repeats a run; else each run tries others, and says its seed. */
export const seed = /^\d+$/.test(process.env.HUB_TEST_SEED ?? '')
  ? Number(process.env.HUB_TEST_SEED)
  : randomInt(2 ** 31)

/** `HUB_TEST_GENERATED=requests,documents`; a sample, or with `HUB_TEST_TORTURE=full` all of them. */
const [requests, documents] = (process.env.HUB_TEST_GENERATED ?? (isFull ? '20000,5000' : '1200,300'))
  .split(',')
  .map(Number)

export const counts = { requests: requests ?? 0, documents: documents ?? 0 }

export const generousSettings: Readonly<Record<string, string>> = {
  // Headers of the limits are sent, and nobody meets them here.
  RATE_LIMIT_PER_MINUTE: '1000000',
  // Hosted work is accepted, and fails: no backend runs it.
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_ALLOWANCE_USD: '10000',
  RUN_DAILY_GPU_HOUR_QUOTA: '10000',
  // Met by those who make many.
  ROBOT_CHECK_DAILY_QUOTA: '300',
}
