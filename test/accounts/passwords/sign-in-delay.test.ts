/** Contract, "Passwords": simultaneous attempts are all counted, and none waits for another one alone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { chargeAttempt } from '../../../src/accounts/passwords/sign-in-delay.ts'
import { tokenDigest } from '../../../src/auth/api-key.ts'
import { testDb } from '../../support/database.ts'

const database = testDb()
const subject = { kind: 'browser', value: 'a browser' } as const

it('an attempt that began before another one was counted is counted after it', async () => {
  const { db } = database
  const subjectSha256 = tokenDigest(JSON.stringify([subject.kind, subject.value]))
  let second: Promise<void> | undefined
  await db.withTx(async (tx) => {
    // As that of an attempt which began a little later than the second one here.
    const text = `insert into sign_in_delays (subject_sha256, level, next_at) values ($1, 1, now() + interval '300 milliseconds')`
    await tx.query({ name: '', text }, [subjectSha256])
    second = chargeAttempt(db, [subject])
    await sleep(500)
  })
  await second
  const [row] = await db.query<{ level: number }>({ name: '', text: 'select level from sign_in_delays' })
  expect(row?.level).toBeGreaterThan(1.9)
})
