/** Spares of running runs: their reports do not wait for the account's row, and its quota stays exact. */
import { beforeEach, describe, expect, it } from 'vitest'
import { readMe } from '../../../src/accounts/read-me.ts'
import { countBytes, reserveStorage } from '../../../src/files/reservation.ts'
import { giveIdleSparesBack, giveSparesBack, SPARE_BYTES, SPARE_ROOM_BYTES } from '../../../src/files/storage-spares.ts'
import type { AccountRef } from '../../../src/operation/context.ts'
import { HubError } from '../../../src/platform/errors.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { putRun } from '../../support/runs.ts'
import { reportedRun } from './support/reported-run.ts'

const lab = reportedRun()
const KEY = 'key_runner'
let owner: AccountRef
beforeEach(async () => {
  owner = await lab.world.user()
})

const running = () => putRun(lab.t.db, { ownerId: owner.id, status: 'running', claimCredential: KEY })
const asRunner = () => lab.world.as(owner, { kind: 'key', credentialId: KEY })
const report = (runId: string, bytes: number, more = {}) =>
  reportRun(asRunner(), { runId, logChunk: `${'x'.repeat(bytes - 1)}\n`, ...more })
/** A report of this many bytes, of a config, for more than one log chunk takes. */
const store = (runId: string, bytes: number) => reportRun(asRunner(), { runId, configYaml: 'x'.repeat(bytes) })
const quotaOf = () => lab.world.deps.config.storageQuotaBytes
const spares = async () =>
  (
    await lab.world.sql<{ bytes: number }>('select bytes from storage_spares where owner_id = $1 order by bytes', [
      owner.id,
    ])
  ).map(({ bytes }) => bytes)

/** The account's sum, what it is shown, what its runs store, and its quota that is left. */
async function sums() {
  const [row] = await lab.world.sql<{ sum: number; stored: number }>(
    `select storage_bytes as sum, (select coalesce(sum(stored_bytes), 0) from runs where owner_id = a.id)::int8 as stored
     from accounts a where id = $1`,
    [owner.id],
  )
  const me = await readMe(asRunner())
  return { ...row, shown: me?.storage.usedBytes }
}

/** Counts bytes as files do, until the sum of the account is `left` bytes below its quota. */
async function fill(left: number): Promise<void> {
  const { sum = 0 } = await sums()
  await lab.t.db.withTx((tx) => countBytes(tx, lab.world.deps.config, owner.id, quotaOf() - left - sum))
}

const refusalOf = (error: unknown) => (error instanceof HubError ? error.type : error)

describe('a report', () => {
  it('takes a spare with its bytes, and from then on its bytes from the spare', async () => {
    const runId = await running()
    await report(runId, 100)
    expect([await spares(), await sums()]).toEqual([[SPARE_BYTES], { sum: SPARE_BYTES + 100, stored: 100, shown: 100 }])
    await report(runId, 50)
    expect([await spares(), await sums()]).toEqual([
      [SPARE_BYTES - 50],
      { sum: SPARE_BYTES + 100, stored: 150, shown: 150 },
    ])
    // More than is left of the spare, which stays, with another one.
    await store(runId, SPARE_BYTES)
    expect(await spares()).toEqual([2 * SPARE_BYTES - 50])
    expect(await sums()).toMatchObject({ stored: SPARE_BYTES + 150, shown: SPARE_BYTES + 150 })
    // More than a spare takes none beside it.
    await store(runId, 3 * SPARE_BYTES)
    expect(await spares()).toEqual([2 * SPARE_BYTES - 50])
    expect(await sums()).toMatchObject({ stored: 3 * SPARE_BYTES + 150, shown: 3 * SPARE_BYTES + 150 })
  })

  it('does not wait while another transaction has the row of the account', async () => {
    const runId = await running()
    await report(runId, 100)
    await lab.t.db.withTx(async (tx) => {
      await countBytes(tx, lab.world.deps.config, owner.id, 7)
      await report(runId, 100)
    })
    expect(await sums()).toMatchObject({ stored: 200, shown: 207 })
  })

  it('of a smaller config gives the rest to the spare, or where that is full, to the account', async () => {
    const runId = await running()
    await report(runId, 100, { configYaml: 'x'.repeat(2 * SPARE_BYTES) })
    expect(await spares()).toEqual([])
    await report(runId, 100, { configYaml: 'x'.repeat(SPARE_BYTES) })
    expect(await spares()).toEqual([])
    await report(runId, 100)
    await report(runId, 100, { configYaml: 'x'.repeat(SPARE_BYTES / 2) })
    expect(await spares()).toEqual([SPARE_BYTES * 1.5 - 100])
    expect(await sums()).toMatchObject({ stored: SPARE_BYTES / 2 + 400, shown: SPARE_BYTES / 2 + 400 })
  })

  it('takes no spare where the quota is near', async () => {
    const runId = await running()
    await fill(SPARE_ROOM_BYTES + 99)
    await report(runId, 100)
    expect(await spares()).toEqual([])
  })
})

describe('at the edge of the quota', () => {
  it('the spares of other runs are room for a report, for files and for uploads', async () => {
    const [one, two] = [await running(), await running()]
    await report(one, 100)
    await report(two, 100)
    await fill(0)
    await store(one, SPARE_BYTES * 1.5)
    expect([await spares(), await sums()]).toEqual([
      [],
      { sum: quotaOf() - SPARE_BYTES / 2, stored: SPARE_BYTES * 1.5 + 200, shown: quotaOf() - SPARE_BYTES / 2 },
    ])
    await expect(store(two, SPARE_BYTES / 2 + 1)).rejects.toMatchObject({ type: 'quota.storage' })
    await store(two, SPARE_BYTES / 2)
    expect(await sums()).toMatchObject({ sum: quotaOf(), shown: quotaOf() })
  })

  it.each([
    ['files', (bytes: number) => lab.t.db.withTx((tx) => countBytes(tx, lab.world.deps.config, owner.id, bytes))],
    [
      'uploads',
      (bytes: number) =>
        lab.t.db.withTx((tx) => reserveStorage(tx, lab.world.deps.config, owner.id, { bytes, uploads: 1 })),
    ],
  ])('the spares of runs are room for %s, to the last byte', async (_, add) => {
    const runs = [await running(), await running()]
    for (const runId of runs) await report(runId, 100)
    await fill(0)
    await expect(add(2 * SPARE_BYTES + 1)).rejects.toMatchObject({ type: 'quota.storage' })
    expect(await spares()).toEqual([SPARE_BYTES, SPARE_BYTES])
    await add(2 * SPARE_BYTES)
    expect(await spares()).toEqual([])
    await expect(report(runs[0] ?? '', 1)).rejects.toMatchObject({ type: 'quota.storage' })
  })

  it('reports and uploads that race for it get what fits, and never more', async () => {
    for (let round = 0; round < 5; round += 1) {
      owner = await lab.world.user()
      const runs = await Promise.all(Array.from({ length: 8 }, running))
      await Promise.all(runs.map((runId) => report(runId, 100)))
      await fill(round * 1000)
      const { config } = lab.world.deps
      const asked = [
        ...runs.map((runId, at) => ({ bytes: at % 2 ? SPARE_BYTES * 1.5 : SPARE_BYTES / 4, runId })),
        { bytes: SPARE_BYTES, runId: null },
        { bytes: SPARE_BYTES, runId: null },
      ]
      const ended = await Promise.allSettled(
        asked.map(({ bytes, runId }) =>
          runId
            ? store(runId, bytes)
            : lab.t.db.withTx((tx) => reserveStorage(tx, config, owner.id, { bytes, uploads: 1 })),
        ),
      )
      const refused = asked.flatMap(({ bytes }, at) => {
        const one = ended[at]
        return one?.status === 'rejected' ? [{ bytes, type: refusalOf(one.reason) }] : []
      })
      expect(refused.map(({ type }) => type)).toEqual(refused.map(() => 'quota.storage'))
      const [row] = await lab.world.sql<{ sum: number; used: number; found: number }>(
        `select storage_bytes + reserved_bytes as sum,
           storage_bytes + reserved_bytes - (select coalesce(sum(bytes), 0) from storage_spares where owner_id = a.id)::int8 as used,
           (select sum(stored_bytes) from runs where owner_id = a.id)::int8 as found from accounts a where id = $1`,
        [owner.id],
      )
      const granted = asked.flatMap(({ bytes }, at) => (ended[at]?.status === 'fulfilled' ? [bytes] : []))
      const left = 8 * SPARE_BYTES + round * 1000
      // What was refused did not fit into what was left then, which has only become less.
      expect(row?.used).toBe(quotaOf() - left + granted.reduce((sum, bytes) => sum + bytes, 0))
      expect(row?.sum).toBeLessThanOrEqual(quotaOf())
      for (const { bytes } of refused) expect(quotaOf() - (row?.used ?? 0)).toBeLessThan(bytes)
      expect(refused.length).toBeGreaterThan(0)
    }
  })
})

describe('given back', () => {
  it('are the spares of runs that do not run, by a job, while those of running ones stay', async () => {
    const [ended, kept] = [await running(), await running()]
    await report(ended, 100)
    await report(kept, 100)
    await report(ended, 50, { status: 'failed' })
    const { db } = lab.t
    await giveIdleSparesBack(db, new AbortController().signal)
    expect([await spares(), await sums()]).toEqual([[SPARE_BYTES], { sum: SPARE_BYTES + 250, stored: 250, shown: 250 }])
    // The account's own sum needs no job to be exact.
    expect(await db.withTx((tx) => giveSparesBack(tx, owner.id))).toBe(SPARE_BYTES)
    expect(await sums()).toEqual({ sum: 250, stored: 250, shown: 250 })
    expect(await db.withTx((tx) => giveSparesBack(tx, owner.id))).toBe(0)
  })

  it('while the run reports, they are taken or given, and no byte is lost', async () => {
    const runId = await running()
    const total = 40
    const reports = async () => {
      for (let at = 0; at < total; at += 1) await report(runId, 100)
    }
    const gives = async () => {
      for (let at = 0; at < total; at += 1) await lab.t.db.withTx((tx) => giveSparesBack(tx, owner.id))
    }
    await Promise.all([reports(), gives()])
    expect(await sums()).toMatchObject({ stored: total * 100, shown: total * 100 })
    expect((await spares()).length).toBeLessThanOrEqual(1)
  })
})
