/** How long a call waits for its next attempt, by the database's clock; the machine may be slow to look. */
import { expect } from 'vitest'
import type { World } from '../../support/world.ts'

/** The database's clock, as text: a moment before an attempt. */
export async function clockOf({ sql }: World): Promise<string> {
  const [row] = await sql<{ at: string }>('select now()::text as at')
  return row?.at ?? ''
}

/** Asserts that the call waits for so many seconds from an attempt between `since` and now. Columns have milliseconds. */
export async function expectPutOff({ sql }: World, call: string | null, seconds: number, since: string): Promise<void> {
  const [row] = await sql<{ least: number; most: number }>(
    `select extract(epoch from next_try_at - now())::float8 as least, extract(epoch from next_try_at - $2::timestamptz)::float8 as most
      from hosted_calls where id = $1`,
    [call, since],
  )
  expect(row?.least).toBeLessThanOrEqual(seconds + 0.001)
  expect(row?.most).toBeGreaterThanOrEqual(seconds - 0.001)
}
