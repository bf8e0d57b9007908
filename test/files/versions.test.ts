// @module-tag sampled
/** The states of a repo, and what is between two of them. */
import { describeOnce, itOnce, sampleSize } from '@hub/testing/torture'
import { describe, expect, test } from 'vitest'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { diffStates } from '../../src/files/versions/diff.ts'
import { historyOfRepos } from '../../src/files/versions/history.ts'
import { createSnapshot, deleteSnapshot } from '../../src/files/versions/snapshots.ts'
import { findState } from '../../src/files/versions/states.ts'
import { filesOfStates, listTreeAt } from '../../src/files/versions/tree-at.ts'
import { pruneClosedRows, unpinFiles } from '../../src/jobs/collect-rows.ts'
import { purgeRepo } from '../../src/jobs/repo-purge.ts'
import { deleteRepo } from '../../src/repos/delete-repo.ts'
import { ageFiles, seqOf } from '../support/pins.ts'
import { versionWorld } from './support/version-world.ts'

const lab = versionWorld()
const { signal, text, put, drop, collect, treeAt, pin, refusal, assertExact } = lab

/** Of each race; the torture run plays many. */
const ROUNDS = sampleSize(20, 2, 8)

describe('a state', () => {
  itOnce('is named by its number, a time, a run and a snapshot, and has the files of then', async () => {
    const repo = await lab.world.repo(lab.owner)
    await put(repo, 'a', 'one')
    const run = await pin(repo, 1)
    const time = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await put(repo, 'a', 'other')
    await put(repo, 'b', 'bb')
    await createSnapshot(lab.ctx, { ...repo, name: 'Two.b', at: '2' })
    await drop(repo, 'a')
    expect(await treeAt(repo, '0')).toEqual({})
    for (const at of ['1', time, run]) expect(await treeAt(repo, at), at).toEqual({ a: 3 })
    for (const at of ['2', 'Two.b']) expect(await treeAt(repo, at), at).toEqual({ a: 5 })
    expect(await treeAt(repo, '3')).toEqual({ a: 5, b: 2 })
    expect(await treeAt(repo, '4')).toEqual({ b: 2 })
    expect(await findState(lab.ctx, repo, '3')).toMatchObject({
      fileSummary: { count: 2, totalBytes: 7 },
      isCurrent: false,
    })
    expect(await refusal(treeAt(repo, '5'))).toMatch(/^not_found: .* has no change 5 yet; its latest is 4/)
    expect(await refusal(treeAt(repo, 'two.b'))).toMatch(/^not_found: The snapshot two.b/)
    expect(await refusal(treeAt(repo, '2020-01-01T00:00:00Z'))).toMatch(/^not_found: .* was created at/)
    const noTimes = ['2026-02-31T00:00:00Z', '2026-01-01', '9999-12-31T23:59:59-00:01', '0001-01-01T00:00:00+00:01']
    for (const at of ['-1', 'run_1', 'a b', '99999999999', '', ...noTimes])
      expect(await refusal(treeAt(repo, at)), at).toMatch(/^validation.value/)
  })

  itOnce('of the log is for callers who can write the repo; names and pins are read like the repo', async () => {
    const repo = await lab.world.repo(lab.owner, { visibility: 'public' })
    await put(repo, 'a', 'one')
    const run = await pin(repo, 1)
    await createSnapshot(lab.ctx, { ...repo, name: 'v1' })
    await put(repo, 'a', 'three')
    const other = lab.world.as(await lab.world.user())
    const reader = lab.world.as(lab.owner, { kind: 'key', level: 'read' })
    const limited = lab.world.as(lab.owner, { kind: 'key', level: 'write', repoIds: [] })
    for (const who of [other, reader, limited, lab.world.anonymous()])
      expect(await treeAt(repo, 'v1', who)).toEqual({ a: 3 })
    for (const who of [other, reader, limited]) {
      expect(await refusal(treeAt(repo, '1', who))).toMatch(/^forbidden.scope/)
      expect(await refusal(treeAt(repo, new Date().toISOString(), who))).toMatch(/^forbidden.scope/)
    }
    expect(await refusal(treeAt(repo, '1', lab.world.anonymous()))).toMatch(/^auth.missing/)
    expect(await treeAt(repo, run, reader)).toEqual({ a: 3 })
    for (const who of [other, lab.world.anonymous()])
      expect(await refusal(treeAt(repo, run, who))).toMatch(/^not_found: No run/)
    const hidden = await lab.world.repo(lab.owner)
    expect(await refusal(treeAt(hidden, '0', other))).toMatch(/^not_found: The repo/)
  })

  itOnce('that collection has taken a file of is 404; the ones that a run or a snapshot keeps are whole', async () => {
    const repo = await lab.world.repo(lab.owner)
    await put(repo, 'a', '1')
    await put(repo, 'b', '22')
    await put(repo, 'a', '333')
    await createSnapshot(lab.ctx, { ...repo, name: 'kept' })
    await put(repo, 'a', '4444')
    await pin(repo, 4)
    await drop(repo, 'a', 'b')
    await put(repo, 'c', '55555')
    await collect(repo)
    for (const at of ['1', '2'])
      expect(await refusal(treeAt(repo, at)), at).toMatch(/^not_found: .*is gone.*GC_GRACE_S/)
    expect(await treeAt(repo, 'kept')).toEqual({ a: 3, b: 2 })
    expect(await treeAt(repo, '4')).toEqual({ a: 4, b: 2 })
    expect(await treeAt(repo, '5')).toEqual({})
    expect(await treeAt(repo, '6')).toEqual({ c: 5 })
    await deleteSnapshot(lab.ctx, { ...repo, name: 'kept' })
    expect(lab.world.sent.at(-1)).toEqual({ job: 'files-unpin', input: { repoIds: [repo.id] } })
    await unpinFiles(lab.world.deps.db, [repo.id], signal)
    await pruneClosedRows(lab.world.deps, signal)
    expect(await refusal(treeAt(repo, '3'))).toMatch(/is gone/)
    expect(await treeAt(repo, '4')).toEqual({ a: 4, b: 2 })
    await assertExact(repo)
  })

  test('is whole or gone for a caller who reads it while it is collected', async () => {
    const repo = await lab.world.repo(lab.owner)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of ['a', 'b', 'c']) await put(repo, name, `${name}${round}`)
      const at = await seqOf(lab.world, repo)
      const state = await findState(lab.ctx, repo, String(at))
      await drop(repo, 'a', 'b', 'c')
      await ageFiles(lab.world, repo.id)
      const read = async () => {
        const [page] = await filesOfStates(lab.ctx, { states: [state], prefix: '', limit: 10, after: null })
        return page instanceof Error || !page ? 'gone' : page.nodes.length
      }
      const reads: Promise<number | string>[] = []
      const sweep = pruneClosedRows(lab.world.deps, signal)
      for (let i = 0; i < 15; i += 1) reads.push(new Promise((resolve) => setTimeout(() => resolve(read()), i * 2)))
      await sweep
      for (const found of await Promise.all(reads)) expect([3, 'gone']).toContain(found)
      expect(await read()).toBe('gone')
    }
  })

  itOnce('pages by path, and by row where a path is too long for a cursor', async () => {
    const repo = await lab.world.repo(lab.owner)
    const long = `${'x'.repeat(250)}/${'y'.repeat(250)}`
    for (const path of ['a', long, `${long}z`]) await put(repo, path, path.slice(0, 1))
    await drop(repo, 'a', long, `${long}z`)
    const found: string[] = []
    let after: string | null = null
    do {
      const page = await listTreeAt(lab.ctx, { ...repo, at: '3', prefix: '', limit: 1, after })
      found.push(...page.nodes.map(({ path }) => path))
      after = page.hasNextPage && page.nodes[0] ? page.cursorOf(page.nodes[0]) : null
    } while (after !== null)
    expect(found).toEqual(['a', long, `${long}z`])
  })

  itOnce('of a deleted repo is gone with it', async () => {
    const repo = await lab.world.repo(lab.owner)
    await put(repo, 'a', 'one')
    await createSnapshot(lab.ctx, { ...repo, name: 'v1' })
    await drop(repo, 'a')
    const before = await lab.world.sql<{ storage_bytes: number }>('select storage_bytes from accounts where id = $1', [
      lab.owner.id,
    ])
    await deleteRepo(lab.ctx, repo)
    const after = await lab.world.sql<{ storage_bytes: number }>('select storage_bytes from accounts where id = $1', [
      lab.owner.id,
    ])
    expect((before[0]?.storage_bytes ?? 0) - (after[0]?.storage_bytes ?? 0)).toBe(3)
    await purgeRepo(lab.world.deps, repo.id, signal)
    await collect(repo)
    for (const table of ['files', 'repo_changes', 'repo_snapshots', 'withdrawn_files'])
      expect(await lab.world.sql(`select 1 from ${table} where repo_id = $1`, [repo.id]), table).toEqual([])
  })
})

describeOnce('the history', () => {
  test('has a row for each change, with who made it and what it did', async () => {
    const mine = await lab.world.user()
    const me = lab.world.as(mine)
    const repo = await lab.world.repo(mine)
    await lab.world.upload(me, repo, 'a', text('one'))
    await lab.world.upload(me, repo, 'a', text('other'))
    await deleteFiles(me, { ...repo, paths: ['a'] })
    const [page] = await historyOfRepos(me, [repo.id], { limit: 2, after: null })
    const none = { filesAdded: 0, filesRemoved: 0, filesChanged: 0, bytesAdded: 0, bytesRemoved: 0 }
    expect(page?.nodes).toMatchObject([
      {
        ...none,
        seq: 3,
        action: 'delete',
        filesRemoved: 1,
        bytesRemoved: 5,
        fileCount: 0,
        keptUntil: null,
        isCurrent: true,
      },
      {
        ...none,
        seq: 2,
        action: 'complete',
        filesChanged: 1,
        bytesAdded: 5,
        bytesRemoved: 3,
        actor: { handle: mine.handle },
      },
    ])
    expect(page?.hasNextPage).toBe(true)
    const second = page?.nodes[1]
    if (!page || !second) throw new Error('no page')
    expect(second.keptUntil).toBe(new Date(Date.parse(second.replacedAt ?? '') + 3_600_000).toISOString())
    const [rest] = await historyOfRepos(me, [repo.id], { limit: 2, after: page.cursorOf(second) })
    expect(rest?.nodes).toMatchObject([{ seq: 1, filesAdded: 1, totalBytes: 3 }])
  })
})

describeOnce('a diff', () => {
  test('names what was added, removed and changed, page by page, in both directions', async () => {
    const repo = await lab.world.repo(lab.owner)
    for (const [path, bytes] of Object.entries({ a: '1', b: '22', same: 's', back: 'x' })) await put(repo, path, bytes)
    const from = String(await seqOf(lab.world, repo))
    await put(repo, 'a', '333')
    await drop(repo, 'b', 'back')
    await put(repo, 'back', 'x')
    await put(repo, 'c', '4444')
    const pages = async (given: { from: string; to?: string }) => {
      const found: [string, string, number | undefined, number | undefined][] = []
      let after: string | null = null
      do {
        const page = await diffStates(lab.ctx, { ...repo, ...given, limit: 1, after })
        for (const { path, change, before: b, after: a } of page.nodes) found.push([path, change, b?.size, a?.size])
        after = page.hasNextPage && page.nodes[0] ? page.cursorOf(page.nodes[0]) : null
      } while (after !== null)
      return found
    }
    expect(await pages({ from })).toEqual([
      ['a', 'changed', 1, 3],
      ['b', 'removed', 2, undefined],
      ['c', 'added', undefined, 4],
    ])
    expect(await pages({ from: String(await seqOf(lab.world, repo)), to: from })).toEqual([
      ['a', 'changed', 3, 1],
      ['b', 'added', undefined, 2],
      ['c', 'removed', 4, undefined],
    ])
    expect(await pages({ from, to: from })).toEqual([])
    await collect(repo)
    expect(await refusal(pages({ from }))).toMatch(/is gone/)
  })

  test('stays with the state of its first page, which a forged cursor does not widen', async () => {
    const repo = await lab.world.repo(lab.owner, { visibility: 'public' })
    await createSnapshot(lab.ctx, { ...repo, name: 'empty' })
    for (const path of ['a', 'b', 'c']) await put(repo, path, path)
    const other = lab.world.as(await lab.world.user())
    const input = { ...repo, from: 'empty', limit: 1 }
    const first = await diffStates(other, { ...input, after: null })
    const [file] = first.nodes
    if (!file) throw new Error('no difference')
    const after = first.cursorOf(file)
    expect((await diffStates(other, { ...input, after })).nodes).toMatchObject([{ path: 'b' }])
    await drop(repo, 'b')
    expect(await refusal(diffStates(other, { ...input, after }))).toMatch(
      /^forbidden.scope: .* Start again without the/,
    )
    expect((await diffStates(lab.ctx, { ...input, after })).nodes).toMatchObject([{ path: 'b' }])
  })
})
