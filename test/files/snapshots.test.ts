// @module-tag sampled
/** Names of states, and going back to one. */
import { itOnce, sampleSize } from '@hub/testing/torture'
import { describe, expect, test } from 'vitest'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { purgeFiles } from '../../src/files/versions/purge.ts'
import { restoreState } from '../../src/files/versions/restore.ts'
import { createSnapshot, deleteSnapshot } from '../../src/files/versions/snapshots.ts'
import { pruneBatch, pruneClosedRows } from '../../src/jobs/collect-rows.ts'
import { ageFiles, seqOf } from '../support/pins.ts'
import { versionWorld } from './support/version-world.ts'

const lab = versionWorld()
const { database, signal, text, put, drop, treeAt, refusal, assertExact } = lab

/** Of each race; the torture run plays many. */
const ROUNDS = sampleSize(20, 2, 8)

describe('a snapshot', () => {
  itOnce('counts what it alone keeps, and no byte twice', async () => {
    const mine = await lab.world.user()
    const me = lab.world.as(mine)
    const repo = await lab.world.repo(mine)
    const stored = async () =>
      (await lab.world.sql<{ n: number }>('select storage_bytes as n from accounts where id = $1', [mine.id]))[0]?.n
    await lab.world.upload(me, repo, 'a', text('12345'))
    await createSnapshot(me, { ...repo, name: 'one' })
    expect(await stored()).toBe(5)
    await deleteFiles(me, { ...repo, paths: ['a'] })
    expect(await stored()).toBe(5)
    await createSnapshot(me, { ...repo, name: 'same', at: '1' })
    expect(await stored()).toBe(5)
    await restoreState(me, { ...repo, at: 'one' })
    expect(await stored()).toBe(5)
    await deleteFiles(me, { ...repo, paths: ['a'] })
    await deleteSnapshot(me, { ...repo, name: 'one' })
    expect(await stored()).toBe(5)
    await deleteSnapshot(me, { ...repo, name: 'same' })
    expect(await stored()).toBe(0)
    const small = { ...me, deps: { ...me.deps, config: { ...me.deps.config, storageQuotaBytes: 4 } } }
    expect(await refusal(createSnapshot(small, { ...repo, name: 'big', at: '1' }))).toMatch(/^quota.storage/)
    expect(await refusal(restoreState(small, { ...repo, at: '1' }))).toMatch(/^quota.storage/)
    await assertExact(repo)
  })

  itOnce('has a name of its own; agents and jobs may not delete it', async () => {
    const repo = await lab.world.repo(lab.owner)
    await put(repo, 'a', '1')
    await createSnapshot(lab.ctx, { ...repo, name: 'v1' })
    expect(await refusal(createSnapshot(lab.ctx, { ...repo, name: 'v1', at: '0' }))).toMatch(
      /^conflict.taken: .* of change 1/,
    )
    const agent = lab.world.as(lab.owner, { kind: 'key', level: 'write', agent: true })
    await createSnapshot(agent, { ...repo, name: 'v2' })
    expect(await refusal(deleteSnapshot(agent, { ...repo, name: 'v2' }))).toMatch(/^forbidden.agent/)
    expect(await refusal(purgeFiles(agent, { ...repo, paths: ['a'] }))).toMatch(/^forbidden.agent/)
    const job = { jobId: 'run_x', repoIds: [repo.id], operations: null }
    const hosted = lab.world.as(lab.owner, { kind: 'key', level: 'write', job })
    for (const work of [
      () => createSnapshot(hosted, { ...repo, name: 'v3' }),
      () => deleteSnapshot(hosted, { ...repo, name: 'v2' }),
      () => purgeFiles(hosted, { ...repo, paths: ['a'] }),
      () => restoreState(hosted, { ...repo, at: '0' }),
    ])
      expect(await refusal(work())).toMatch(/^forbidden.scope/)
    expect(await refusal(deleteSnapshot(lab.ctx, { ...repo, name: 'v3' }))).toMatch(/^not_found/)
  })

  itOnce('is one of at most 1000 of its repo', async () => {
    const repo = await lab.world.repo(lab.owner)
    await lab.world.sql(
      `with made as (insert into repo_snapshots (id, repo_id, name, seq) select 'snap_' || lpad(n::text, 26, '0'), $1, 's' || n, 0 from generate_series(1, 1000) n)
       update repos set snapshot_count = 1000 where id = $1`,
      [repo.id],
    )
    expect(await refusal(createSnapshot(lab.ctx, { ...repo, name: 'more' }))).toMatch(
      /^quota.snapshots: .* at most 1000/,
    )
    await deleteSnapshot(lab.ctx, { ...repo, name: 's7' })
    await createSnapshot(lab.ctx, { ...repo, name: 'more' })
    await assertExact(repo)
  })

  test('that is made while its state is collected keeps all of it, or finds it gone', async () => {
    const repo = await lab.world.repo(lab.owner)
    const ends = new Set<string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      await put(repo, 'a', `a${round}`)
      const at = await seqOf(lab.world, repo)
      await drop(repo, 'a')
      await ageFiles(lab.world, repo.id)
      const name = `r${round}`
      const [made] = await Promise.allSettled([
        createSnapshot(lab.ctx, { ...repo, name, at: String(at) }),
        pruneClosedRows(lab.world.deps, signal),
      ])
      await pruneClosedRows(lab.world.deps, signal)
      ends.add(made.status)
      if (made.status === 'fulfilled') expect(Object.keys(await treeAt(repo, name))).toEqual(['a'])
      else expect((made.reason as Error).message).toMatch(/is gone/)
    }
    await assertExact(repo, [...ends].join())
  })

  itOnce('that holds its state makes collection wait, and then keep it', async () => {
    const repo = await lab.world.repo(lab.owner)
    await put(repo, 'a', 'bytes')
    await drop(repo, 'a')
    await ageFiles(lab.world, repo.id)
    let sweep: Promise<unknown> = Promise.resolve()
    await database.db.withTx(async (tx) => {
      await tx.query({ name: 't-state', text: 'select 1 from repo_changes where repo_id = $1 and seq = 1 for share' }, [
        repo.id,
      ])
      sweep = database.db.withTx((other) => pruneBatch(other, 3600))
      await untilWaiting()
      await tx.query(
        {
          name: 't-snap',
          text: `insert into repo_snapshots (id, repo_id, name, seq) values ('snap_t', $1, 'late', 1)`,
        },
        [repo.id],
      )
    })
    await sweep
    expect(await treeAt(repo, 'late')).toEqual({ a: 5 })
  })
})

async function untilWaiting() {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await lab.world.sql(waiting)).length, { interval: 1 }).toBeGreaterThan(0)
}

describe('restoring', () => {
  itOnce('makes the live files those of the state, as a change that can be undone', async () => {
    const repo = await lab.world.repo(lab.owner)
    await put(repo, 'a', '1')
    await put(repo, 'b', '22')
    await put(repo, 'a', '333')
    await put(repo, 'c', '4444')
    await drop(repo, 'b')
    expect(await restoreState(lab.ctx, { ...repo, at: '2', ifSeq: 5 })).toEqual({
      seq: 6,
      restoredSeq: 2,
      added: 1,
      removed: 1,
      changed: 1,
    })
    expect(await treeAt(repo, '6')).toEqual({ a: 1, b: 2 })
    expect(await restoreState(lab.ctx, { ...repo, at: '2' })).toMatchObject({
      seq: 6,
      added: 0,
      removed: 0,
      changed: 0,
    })
    await restoreState(lab.ctx, { ...repo, at: '5' })
    expect(await treeAt(repo, '7')).toEqual({ a: 3, c: 4 })
    expect(await refusal(restoreState(lab.ctx, { ...repo, at: '2', ifSeq: 6 }))).toMatch(
      /^precondition.failed: .* at change 7, not 6/,
    )
    expect(await restoreState(lab.ctx, { ...repo, at: '0' })).toMatchObject({ removed: 2 })
    await assertExact(repo)
  })

  itOnce('is for some files and folders where they are named', async () => {
    const repo = await lab.world.repo(lab.owner)
    for (const path of ['x/1', 'x/2', 'xy', 'z']) await put(repo, path, path)
    await drop(repo, 'x/1', 'x/2', 'xy', 'z')
    await restoreState(lab.ctx, { ...repo, at: '4', paths: ['x/', 'z'] })
    expect(await treeAt(repo, '6')).toEqual({ 'x/1': 3, 'x/2': 3, z: 1 })
  })

  test('undoes no push that comes at the same time, if it says which change it knows', async () => {
    const repo = await lab.world.repo(lab.owner)
    await put(repo, 'a', 'a')
    for (let round = 0; round < ROUNDS; round += 1) {
      const known = await seqOf(lab.world, repo)
      await Promise.allSettled([
        restoreState(lab.ctx, { ...repo, at: '0', ifSeq: known }),
        put(repo, `new${round}`, `${round}`),
      ])
      const files = await treeAt(repo, String(await seqOf(lab.world, repo)))
      expect(files[`new${round}`]).toBe(String(round).length)
      await assertExact(repo, `round ${round}`)
    }
  })
})
