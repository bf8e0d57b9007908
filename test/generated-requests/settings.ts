/** How many to make, and from which seed. */
import { createHash, randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFull } from '@hub/testing/torture'

/** What the requests follow from: any change tries others, and a tree that passed passes again. */
const sources = ['rest-compat/openapi.json', 'schema/schema.graphql', 'test/generated-requests/*.ts']

/** `HUB_TEST_SEED` repeats a run, or with `random` makes one that nobody has seen. */
export const seed = seedOf(process.env.HUB_TEST_SEED)

function seedOf(given: string | undefined): number {
  if (given === 'random') return randomInt(2 ** 31)
  if (given) return Number(given)
  const hash = createHash('sha256')
  const cwd = join(import.meta.dirname, '../..')
  for (const file of globSync(sources, { cwd }).sort()) hash.update(readFileSync(join(cwd, file)))
  return hash.digest().readUInt32BE(0) % 2 ** 31
}

/** `HUB_TEST_GENERATED=requests,documents`; a sample, or with `HUB_TEST_TORTURE=full` all of them. */
const [requests, documents] = (process.env.HUB_TEST_GENERATED ?? (isFull ? '20000,5000' : '800,200'))
  .split(',')
  .map(Number)

export const counts = { requests: requests ?? 0, documents: documents ?? 0 }

/** The table of all answers is for the runs that someone reads. */
export const showsTable = isFull

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
