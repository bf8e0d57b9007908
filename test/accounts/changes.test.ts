/** The log of changes that lists are followed by. Contract, "Subscriptions". */

import { newId } from '@hub/formats/ids'
import { describe, expect, it } from 'vitest'
import { ChangePass } from '../../src/accounts/changes/change-pass.ts'
import {
  CHANGES_PER_READ,
  type ChangedThing,
  changesSince,
  readPages,
} from '../../src/accounts/changes/read-changes.ts'
import { dropOldRows } from '../../src/jobs/old-rows.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf, scansOf } from '../support/plans.ts'
import { putRun } from '../support/runs.ts'

const t = testDb()
const sql = <T>(text: string) => t.db.query<T>({ name: '', text })

async function account(): Promise<string> {
  const id = newId('user')
  await sql(`insert into accounts (id, kind, handle) values ('${id}', 'user', 'u${id.slice(-20)}')`)
  return id
}

/** Reads everything that is left, page by page; the ids that are new to the reader. */
async function readAll(pass: ChangePass, ownerId: string): Promise<string[]> {
  const seen: string[] = []
  do {
    const [page] = await readPages(t.db, [{ ownerId, kind: 'run', after: pass.next }])
    if (page) seen.push(...pass.take(page).map(({ thingId }) => thingId))
  } while (pass.hasMore)
  return seen
}

/** Waits for what began before on the server, other tests' transactions included: a reader that begins meanwhile is shown once more what came after them. */
async function settled(): Promise<void> {
  const [now] = await sql<{ xid: number }>('select pg_current_xact_id()::text::bigint as xid')
  const oldest = async () =>
    (await sql<{ xid: number }>('select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid'))[0]?.xid
  await expect.poll(oldest, { interval: 5 }).toBeGreaterThan(now?.xid ?? Number.POSITIVE_INFINITY)
}

/** Who follows from now on. */
async function reader(ownerId: string): Promise<ChangePass> {
  await settled()
  const pass = new ChangePass(null)
  expect(await readAll(pass, ownerId)).toEqual([])
  return pass
}

describe('a reader of the changes of an account', () => {
  it('sees each thing once that was made or changed, whatever changed it, and nothing of other accounts', async () => {
    const [ada, bob] = [await account(), await account()]
    const [mine, other] = [await reader(ada), await reader(bob)]
    const runs = [await putRun(t.db, { ownerId: ada }), await putRun(t.db, { ownerId: ada })]
    await sql(`update runs set error = 'x' where id = '${runs[0]}'`)
    expect((await readAll(mine, ada)).toSorted()).toEqual(runs.toSorted())
    expect(await readAll(mine, ada)).toEqual([])
    await sql(`update runs set error = 'y' where id = '${runs[0]}'`)
    expect(await readAll(mine, ada)).toEqual([runs[0]])
    expect(await readAll(other, bob)).toEqual([])
  })

  it('misses nothing of a transaction that began first and ended last, and goes on in pages meanwhile', async () => {
    const ada = await account()
    const [slow, ...quick] = await Promise.all(
      Array.from({ length: CHANGES_PER_READ * 2 + 10 }, () => putRun(t.db, { ownerId: ada })),
    )
    const pass = await reader(ada)
    await t.db.withTx(async (tx) => {
      await tx.query({ name: '', text: `update runs set error = 'slow' where id = '${slow}'` })
      await sql(`update runs set error = 'quick' where owner_id = '${ada}' and id <> '${slow}'`)
      expect((await readAll(pass, ada)).toSorted()).toEqual(quick.toSorted())
      expect(await readAll(pass, ada)).toEqual([])
      // Someone else who continues from here sees them again, rather than miss the slow one.
      expect(await readAll(new ChangePass(pass.position), ada)).toHaveLength(quick.length)
    })
    expect(await readAll(pass, ada)).toEqual([slow])
    expect(await readAll(pass, ada)).toEqual([])
  })

  it('sees no report that only says that its runner is there', async () => {
    const ada = await account()
    const run = await putRun(t.db, { ownerId: ada, status: 'running', set: { latest_metrics: '{"reward": 1}' } })
    const pass = await reader(ada)
    const renewal =
      "heartbeat_at = now() + interval '1 s', updated_at = now(), lease_expires_at = now() + interval '1 day'"
    await sql(`update runs set ${renewal}, error = error where id = '${run}'`)
    expect(await readAll(pass, ada)).toEqual([])
    await sql(`update runs set ${renewal}, latest_metrics = '{"reward": 2}' where id = '${run}'`)
    expect(await readAll(pass, ada)).toEqual([run])
  })

  it('goes on from any of its positions without a loss', async () => {
    const ada = await account()
    const start = await reader(ada)
    const runs: string[] = []
    for (let at = 0; at < 3; at += 1) {
      runs.push(await putRun(t.db, { ownerId: ada }))
      expect(await readAll(new ChangePass(start.position), ada)).toEqual(runs)
    }
  })

  it('sees of a deleted run who saw it', async () => {
    const ada = await account()
    const run = await putRun(t.db, { ownerId: ada, filedBy: 'key_x', repoIds: ['repo_x'] })
    const [before] = await readPages(t.db, [{ ownerId: ada, kind: 'run', after: null }])
    await sql(`delete from runs where id = '${run}'`)
    const after = { xid: before?.horizon ?? 0, thingId: '' }
    const [page] = await readPages(t.db, [{ ownerId: ada, kind: 'run', after }])
    const gone: Partial<ChangedThing> = { deleted: true, createdBy: ada, filedBy: 'key_x', repoIds: ['repo_x'] }
    expect(page?.things).toEqual([expect.objectContaining({ thingId: run, ...gone })])
  })

  it('passes over rows that were loaded from a server with higher numbers', async () => {
    const ada = await account()
    const pass = await reader(ada)
    await sql(
      `insert into changes (thing_id, kind, owner_id, xid, at) values ('run_loaded', 'run', '${ada}', 9007199254740000, now())`,
    )
    expect(await readAll(pass, ada)).toEqual([])
  })

  it('shares its read with all that stand where it stands', async () => {
    const ada = await account()
    const asked = { ownerId: ada, kind: 'run', after: { xid: 0, thingId: '' } } as const
    await putRun(t.db, { ownerId: ada })
    const [one, other, elsewhere] = await readPages(t.db, [asked, { ...asked }, { ...asked, kind: 'robot_check' }])
    expect(one).toBe(other)
    expect([one?.things.length, elsewhere?.things.length]).toEqual([1, 0])
  })
})

describe('the log of changes', () => {
  it('is read by its index alone, however much has changed in other accounts and before', async () => {
    const ada = await account()
    await sql(`insert into changes (thing_id, kind, owner_id, xid, at)
      select 'run_many_' || n, 'run', case n % 10 when 0 then '${ada}' else 'user_' || n % 300 end, n, now() from generate_series(1, 20000) n`)
    await sql('analyze changes')
    const values = orderedValues(changesSince, {
      owners: [ada, 'user_7'],
      kinds: ['run', 'run'],
      xids: [19_000, 19_000],
      things: ['a', 'a'],
      limit: CHANGES_PER_READ + 1,
    })
    for (const plan of await plansOf(t.db, changesSince.text, values)) {
      expect(scansOf(plan, 'changes')).toEqual([])
      expect(passedOver(plan, 'changes')).toBe(0)
      expect(plan.find((node) => node['Index Name'])?.['Index Name']).toBe('changes_owner_id_kind_xid_thing_id_idx')
    }
    await sql(`delete from changes where thing_id like 'run_many_%'`)
  })

  it('is kept for a day', async () => {
    const ada = await account()
    await sql(`insert into changes (thing_id, kind, owner_id, xid, at)
      values ('run_old', 'run', '${ada}', 5, now() - interval '25 hours'), ('run_new', 'run', '${ada}', 5, now() - interval '23 hours')`)
    await dropOldRows(t, new AbortController().signal)
    expect(await sql(`select thing_id as id from changes where owner_id = '${ada}'`)).toEqual([{ id: 'run_new' }])
  })
})
