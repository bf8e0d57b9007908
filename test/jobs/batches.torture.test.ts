/** Work over many rows goes in batches: what is done stays done, and no kind of row keeps another from its turn. */
import { describe, expect, it } from 'vitest'
import { DROPPED_ROWS, inBatches, turnOf, wholeWork } from '../../src/jobs/batches.ts'
import { dropOld, dropOldRows } from '../../src/jobs/old-rows.ts'
import { purgeDeletedRepos } from '../../src/jobs/repo-purge.ts'
import type { Deps } from '../../src/operation/context.ts'
import type { Db } from '../../src/store/db.ts'
import { builtStatements } from '../support/built-statements.ts'
import { testDb } from '../support/database.ts'
import { blocksOf, passedOver, plansOf, scansOf } from '../support/plans.ts'

const t = testDb()
const signal = new AbortController().signal
const sql = <T>(text: string) => t.db.query<T>({ name: '', text })

/** Changes and stored answers that are past their retention, and one of each that is not. */
async function fill(changes: number, answers: number): Promise<void> {
  await sql('delete from changes')
  await sql('delete from idempotency_keys')
  await sql(`insert into accounts (id, kind, handle) values ('user_old', 'user', 'old') on conflict do nothing`)
  await sql(`insert into changes (thing_id, kind, owner_id, xid, at)
    select 'run_' || n, 'run'::"ChangeKind", 'user_old', 5, now() - interval '25 hours'
      from generate_series(1, ${changes}) n
    union all select 'run_new', 'run', 'user_old', 5, now()`)
  await sql(`insert into idempotency_keys (credential_id, method, path, key, body_sha256, attempt, created_at)
    select 'key_a', 'POST', '/v1/runs', 'old' || n, '\\x00'::bytea, 'a', now() - interval '25 hours'
      from generate_series(1, ${answers}) n
    union all select 'key_a', 'POST', '/v1/runs', 'new', '\\x00'::bytea, 'a', now()`)
}

const countOf = async (table: string) => (await sql<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n

/** Calls `then` after each batch that deleted changes. */
const watching = (then: (batch: number) => void): Pick<{ db: Db }, 'db'> => {
  let batch = 0
  const query = async (statement: { name: string }, given: unknown) => {
    const rows = await t.db.query(statement as never, given as never)
    if (statement.name === 'changes-drop-old') {
      batch += 1
      then(batch)
    }
    return rows
  }
  return { db: { ...t.db, query: query as never } }
}

describe('old rows', () => {
  it('are deleted a batch at a time, each in a transaction of its own, and those that are not old stay', async () => {
    await fill(2 * DROPPED_ROWS + 7, 3)
    let batches = 0
    await dropOldRows(
      watching((batch) => {
        batches = batch
      }),
      signal,
    )
    expect(batches).toBe(3)
    expect(await sql('select thing_id as id from changes')).toEqual([{ id: 'run_new' }])
    expect(await sql('select key from idempotency_keys')).toEqual([{ key: 'new' }])
  })

  it('of one kind have their turn, then those of the others; the next minute goes on', async () => {
    await fill(2 * DROPPED_ROWS, 3)
    await dropOldRows(t, signal, 0)
    expect(await countOf('changes')).toBe(DROPPED_ROWS + 1)
    expect(await countOf('idempotency_keys')).toBe(1)
    await dropOldRows(t, signal, 0)
    expect(await countOf('changes')).toBe(1)
  })

  it('that are gone when the job is ended stay gone, and the others are left to the next one', async () => {
    await fill(3 * DROPPED_ROWS, 0)
    const ended = new AbortController()
    const work = dropOldRows(
      watching(() => ended.abort(new Error('the hub stops'))),
      ended.signal,
    )
    await expect(work).rejects.toThrow('the hub stops')
    expect(await countOf('changes')).toBe(2 * DROPPED_ROWS + 1)
    await dropOldRows(t, signal)
    expect(await countOf('changes')).toBe(1)
  })

  it('are divided between two hubs, and one that is locked is waited for by neither', async () => {
    await fill(3 * DROPPED_ROWS, 0)
    await t.db.withTx(async (tx) => {
      await tx.execute(`select 1 from changes where thing_id = 'run_1' for update`)
      await Promise.all([dropOldRows(t, signal), dropOldRows(t, signal)])
      expect(await countOf('changes')).toBe(2)
    })
    await dropOldRows(t, signal)
    expect(await countOf('changes')).toBe(1)
  })

  it('are found by an index of those without a decision, however many others there are', async () => {
    await fill(0, 0)
    await sql(`insert into device_logins (id, device_code_sha256, user_code, name, address, network, state, scope,
        key_ttl_s, expires_at, decided_at, decided_by)
      select 'dlog_' || n, sha256(n::text::bytea), translate(lpad(n::text, 8, '0'), '0123456789', 'BCDFGHJKLM'), 'n',
        'a', 'a', 'denied', 'read', 3600, now() - interval '1 hour', now(), 'user_old' from generate_series(1, 3000) n`)
    await sql('analyze device_logins')
    const { text } = dropOld.find(({ name }) => name === 'device-logins-drop-undecided') ?? { text: '' }
    for (const plan of await plansOf(t.db, text, [])) {
      expect(scansOf(plan, 'device_logins')).toEqual([])
      expect(passedOver(plan, 'device_logins')).toBe(0)
      expect(blocksOf(plan)).toBeLessThan(10)
    }
  })
})

describe('batches', () => {
  it('end with one that is short', async () => {
    const found = [10, 10, 4, 10]
    expect(await inBatches(wholeWork(signal), 10, async () => found.shift() ?? 0)).toBe(true)
    expect(found).toEqual([10])
  })

  it('end with their turn, and say that more is left', async () => {
    let now = 0
    let batches = 0
    const turn = turnOf(signal, 100, () => now)
    const isDone = await inBatches(turn, 10, async () => {
      now += 40
      batches += 1
      return 10
    })
    expect([isDone, batches]).toEqual([false, 3])
  })
})

it('what was deleted is purged, one after another until the turn is over, and the next minute goes on', async () => {
  await sql(`insert into deleted_repos (repo_id) select 'repo_gone_' || n from generate_series(1, 3) n`)
  for (const left of [2, 1, 0]) {
    await purgeDeletedRepos({ db: t.db } as Deps, signal, 0)
    expect(await countOf('deleted_repos')).toBe(left)
  }
})

it('each change by a job is of rows that are named, or of no more than a number', async () => {
  const changes = (await builtStatements()).filter(
    ({ at, text }) =>
      at.startsWith('src/jobs/') && /\b(?:delete from|update)\s+\w/.test(text) && !/for update$/.test(text),
  )
  expect(changes.length).toBeGreaterThan(20)
  const isBounded = (text: string) => /\blimit \d+/.test(text) || /(?:=\s*(?:any\(\s*)?|unnest\()\$\d/.test(text)
  expect(changes.filter(({ text }) => !isBounded(text)).map(({ at, name }) => `${at} ${name}`)).toEqual([])
})
