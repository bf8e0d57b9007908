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
