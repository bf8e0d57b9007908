// @module-tag sampled
/** A path is a file or a folder (contract, "Text"): a repo never holds `x` next to `x/y`, since no disk can. */

import { describeOnce, inTorture, sampleSize } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completeUpload } from '../../src/files/complete-upload.ts'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { linkStored } from '../../src/files/link-stored.ts'
import { clashesOfPaths, clashesOfRestored } from '../../src/files/path-clashes.ts'
import { presignUpload, signParts, type UploadTicket } from '../../src/files/presign-upload.ts'
import { listTree } from '../../src/files/tree.ts'
import { restoreState } from '../../src/files/versions/restore.ts'
import { listTreeAt } from '../../src/files/versions/tree-at.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { blocksOf, passedOver, plansOf, scansOf } from '../support/plans.ts'
import { makeWorld, sha256Of, type World, type WorldRepo } from '../support/world.ts'

/** Of each race; the torture run plays many. */
const ROUNDS = sampleSize(60, 6, 20)

const database = testDb({ poolMax: 20 })
let world: World
let owner: AccountRef
let ctx: RequestContext

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  owner = await world.user()
  ctx = world.as(owner)
})
afterAll(() => world?.close())

const text = (path: string) => Buffer.from(`bytes of ${path}`)
const fileOf = (path: string) => ({ path, size: text(path).length, sha256: sha256Of(text(path)) })
const put = (repo: WorldRepo, path: string) => world.upload(ctx, repo, path, text(path))
const presign = (repo: WorldRepo, ...paths: string[]) => presignUpload(ctx, { ...repo, files: paths.map(fileOf) })
const link = (repo: WorldRepo, ...paths: string[]) => linkStored(ctx, { ...repo, files: paths.map(fileOf) })

/** Presigned and sent, not completed: where the hub does not look yet. */
async function sent(repo: WorldRepo, ...paths: string[]) {
  const { uploads } = await presign(repo, ...paths)
  return Promise.all(uploads.map((ticket) => sendTo(ticket)))
}

async function sendTo(ticket: UploadTicket) {
  const [part] = await signParts(ctx, ticket)
  const etag = await world.putPart(part?.url ?? '', text(ticket.path))
  return { path: ticket.path, uploadId: ticket.uploadId, parts: [{ partNumber: 1, etag }] }
}

type Sent = Awaited<ReturnType<typeof sendTo>>
const complete = (repo: WorldRepo, ...uploads: Sent[]) => completeUpload(ctx, { ...repo, uploads })

async function paths(repo: WorldRepo): Promise<string[]> {
  const page = await listTree(ctx, { ...repo, prefix: '', limit: 1000, after: null })
  return page?.nodes.map(({ path }) => path) ?? []
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing refused',
    (error) => {
      if (!(error instanceof HubError)) throw error
      return { type: error.type, status: error.status, items: error.items.map(({ loc, names }) => ({ loc, names })) }
    },
  )
const clash = (...items: readonly [loc: readonly (string | number)[] | undefined, path: string, other: string][]) => ({
  type: 'conflict.path',
  status: 409,
  items: items.map(([loc, path, other]) => ({ loc, names: [path, other] })),
})

/** A repo that holds both from a time when it was possible: each file of `files` is renamed by SQL. */
async function older(...files: string[]): Promise<WorldRepo> {
  const repo = await world.repo(owner)
  for (const [index, path] of files.entries()) {
    await put(repo, `older-${index}`)
    await world.sql('update files set path = $3 where repo_id = $1 and path = $2', [repo.id, `older-${index}`, path])
  }
  return repo
}

describeOnce('a completion', () => {
  it.each([
    ['x', 'x/y'],
    ['x/y', 'x'],
    ['a/b', 'a/b/c/d/e'],
    ['a/b/c/d/e', 'a/b'],
    ['ünï', 'ünï/日本'],
    ['x/\u{10ffff}', 'x'],
  ])('beside the file %j refuses %j, naming both, and links nothing of its request', async (there, path) => {
    const repo = await world.repo(owner)
    const [one, fine] = await sent(repo, path, 'fine')
    await put(repo, there)
    const answer = await refusal(complete(repo, fine as Sent, one as Sent))
    expect(answer).toEqual(clash([['uploads', 1, 'path'], path, there]))
    expect(await paths(repo)).toEqual([there])
  })

  it('says what there is and what to do', async () => {
    const repo = await world.repo(owner)
    const [inside, outside] = await sent(repo, 'x/y', 'a')
    await put(repo, 'x')
    await put(repo, 'a/b')
    await expect(complete(repo, inside as Sent)).rejects.toThrow(
      '"x/y" needs a folder where the repo has the file "x". Delete "x" first, or choose another path.',
    )
    await expect(complete(repo, outside as Sent)).rejects.toThrow(
      '"a" is a folder of the repo, which has the file "a/b". Delete what is in the folder first, or choose another path.',
    )
  })

  it('takes names that only begin alike, and other cases', async () => {
    const repo = await world.repo(owner)
    const names = ['x', 'x-1', 'x.txt', 'x0', 'xy/z', 'X/y', 'a/b', 'a/b.c', 'a/bc', 'a/B/c']
    for (const name of names) await put(repo, name)
    expect((await paths(repo)).toSorted()).toEqual(names.toSorted())
  })

  it('replaces a file that is there', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'x/y')
    await put(repo, 'x/z')
    expect(await complete(repo, ...(await sent(repo, 'x/y')))).toMatchObject({ files: [{ path: 'x/y' }] })
  })

  it('that clashes in itself is refused at both places, before any bytes are assembled', async () => {
    const repo = await world.repo(owner)
    const [outer] = await sent(repo, 'x')
    const [inner] = await sent(repo, 'x/y/z')
    expect(await refusal(complete(repo, outer as Sent, inner as Sent))).toEqual(
      clash([['uploads', 0, 'path'], 'x', 'x/y/z'], [['uploads', 1, 'path'], 'x/y/z', 'x']),
    )
    const states = await world.sql('select state, parts::text from uploads where repo_id = $1', [repo.id])
    expect(states).toEqual(Array(2).fill({ state: 'pending', parts: '[]' }))
  })

  it('that was refused is taken once what is in its way is deleted, and keeps its bytes until then', async () => {
    const repo = await world.repo(owner)
    const [inside] = await sent(repo, 'x/y')
    await put(repo, 'x')
    expect(await refusal(complete(repo, inside as Sent))).toMatchObject({ type: 'conflict.path' })
    await deleteFiles(ctx, { ...repo, paths: ['x'] })
    await complete(repo, inside as Sent)
    expect(await paths(repo)).toEqual(['x/y'])
  })
})

describe('a race', () => {
  it('of a file with what is below it has one winner', async () => {
    const outcomes: string[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const repo = await world.repo(owner)
      const uploads = await sent(repo, 'x')
      uploads.push(...(await sent(repo, 'x/y', 'x/z')))
      const [outer, ...inner] = uploads
      const answers = await Promise.all([refusal(complete(repo, outer as Sent)), refusal(complete(repo, ...inner))])
      const won = answers.map((answer) => answer === 'nothing refused')
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(answers[won.indexOf(false)]).toMatchObject({ type: 'conflict.path' })
      expect(await paths(repo)).toEqual(won[0] ? ['x'] : ['x/y', 'x/z'])
      outcomes.push(won[0] ? 'outer' : 'inner')
    }
    expect(outcomes).toHaveLength(ROUNDS)
  })

  it('of completions, links, deletions and restorations never leaves both', async () => {
    const names = ['a', 'a/b', 'a/b/c', 'a/d', 'a-', 'a/b/c/e']
    const repo = await world.repo(owner)
    const store = await world.repo(owner)
    for (const name of names) await put(store, `kept/${names.indexOf(name)}`)
    const bytesOf = (name: string) => text(`kept/${names.indexOf(name)}`)
    const linkOf = (name: string) => ({ path: name, size: bytesOf(name).length, sha256: sha256Of(bytesOf(name)) })
    await linkStored(ctx, { ...repo, files: [linkOf('a')] })
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all([
        ...names.map((name) => refusal(linkStored(ctx, { ...repo, files: [linkOf(name)] }))),
        ...names.slice(0, 3).map((name) => refusal(deleteFiles(ctx, { ...repo, paths: [name] }))),
        refusal(restoreState(ctx, { ...repo, at: '1' })),
        refusal(restoreState(ctx, { ...repo, at: '1', paths: ['a', 'a/b'] })),
      ])
      for (const answer of answers)
        if (answer !== 'nothing refused') expect(answer).toMatchObject({ type: 'conflict.path' })
      const there = await paths(repo)
      expect(there.filter((path) => there.some((other) => other.startsWith(`${path}/`)))).toEqual([])
    }
  })
})

describeOnce('before anything is sent', () => {
  it('a presign says it, and opens and reserves nothing', async () => {
    const account = await world.user()
    const own = world.as(account)
    const repo = await world.repo(account)
    await world.upload(own, repo, 'x', text('x'))
    await world.upload(own, repo, 'a/b', text('a/b'))
    const files = ['fine', 'x/y', 'a'].map(fileOf)
    expect(await refusal(presignUpload(own, { ...repo, files }))).toEqual(
      clash([['files', 1, 'path'], 'x/y', 'x'], [['files', 2, 'path'], 'a', 'a/b']),
    )
    const [reserved] = await world.sql(
      'select reserved_bytes as bytes, pending_uploads as uploads from accounts where id = $1',
      [account.id],
    )
    expect(reserved).toEqual({ bytes: 0, uploads: 0 })
  })

  it('a presign that clashes in itself is refused at both places', async () => {
    const repo = await world.repo(owner)
    expect(await refusal(presign(repo, 'x/y', 'b', 'x'))).toEqual(
      clash([['files', 0, 'path'], 'x/y', 'x'], [['files', 2, 'path'], 'x', 'x/y']),
    )
  })

  it('a link says it, of files that it has and of those that it lacks', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'x')
    await put(repo, 'other')
    const bytes = { size: text('other').length, sha256: sha256Of(text('other')) }
    expect(await refusal(linkStored(ctx, { ...repo, files: [fileOf('new'), { path: 'x/y', ...bytes }] }))).toEqual(
      clash([['files', 1, 'path'], 'x/y', 'x']),
    )
    expect(await refusal(link(repo, 'never/seen', 'x/never'))).toEqual(clash([['files', 1, 'path'], 'x/never', 'x']))
    expect(await refusal(link(repo, 'q/never', 'q'))).toMatchObject({ type: 'conflict.path' })
    expect(await paths(repo)).toEqual(['other', 'x'])
  })
})

describeOnce('a restoration', () => {
  it('replaces a file by a folder and back, since it takes away what the state lacks', async () => {
    const repo = await world.repo(owner)
    await put(repo, 'x')
    await deleteFiles(ctx, { ...repo, paths: ['x'] })
    await put(repo, 'x/y')
    await restoreState(ctx, { ...repo, at: '1' })
    expect(await paths(repo)).toEqual(['x'])
    await restoreState(ctx, { ...repo, at: '3' })
    expect(await paths(repo)).toEqual(['x/y'])
    expect(await restoreState(ctx, { ...repo, at: '1', paths: ['x', 'x/'] })).toMatchObject({ added: 1, removed: 1 })
    expect(await paths(repo)).toEqual(['x'])
  })

  it.each([
    ['x', 'x/y', 'x'],
    ['x/y', 'x', 'x/'],
  ])('of a part that brings back %j beside %j is refused', async (was, is, part) => {
    const repo = await world.repo(owner)
    await put(repo, was)
    await deleteFiles(ctx, { ...repo, paths: [was] })
    await put(repo, is)
    // The folder `x/` does not name the file `x`, nor the file the folder.
    expect(await refusal(restoreState(ctx, { ...repo, at: '1', paths: [part] }))).toEqual(clash([undefined, was, is]))
    expect(await paths(repo)).toEqual([is])
  })
})

describeOnce('a repo that has both from before', () => {
  it('can be read, also as it was, and mended by deleting one', async () => {
    const repo = await older('x', 'x/y')
    expect(await paths(repo)).toEqual(['x', 'x/y'])
    expect(await refusal(presign(repo, 'x'))).toEqual(clash([['files', 0, 'path'], 'x', 'x/y']))
    await put(repo, 'z')
    await deleteFiles(ctx, { ...repo, paths: ['x'] })
    await put(repo, 'x/y')
    const { nodes } = await listTreeAt(ctx, { ...repo, at: '2', prefix: '', limit: 10, after: null })
    expect(nodes.map(({ path }) => path)).toEqual(['x', 'x/y'])
    expect(await refusal(restoreState(ctx, { ...repo, at: '2' }))).toEqual(
      clash([undefined, 'x', 'x/y'], [undefined, 'x/y', 'x']),
    )
    expect(await refusal(restoreState(ctx, { ...repo, at: '2', paths: ['x/'] }))).toBe('nothing refused')
  })

  it('is restored where the restoration does not touch them', async () => {
    const repo = await older('x', 'x/y', 'z')
    await deleteFiles(ctx, { ...repo, paths: ['z'] })
    expect(await restoreState(ctx, { ...repo, at: '3' })).toMatchObject({ added: 1, removed: 0, changed: 0 })
    expect(await paths(repo)).toEqual(['x', 'x/y', 'z'])
  })
})

inTorture(() => {
  describe('the look for clashes', () => {
    const FILES = 60_000
    /** Each statement has a time limit, also on a busy machine. */
    const AT_ONCE = 5000

    it(`reads a few blocks of an index for each path, of ${FILES} files`, async () => {
      const repo = await world.repo(owner)
      await put(repo, 'seed')
      // The files of a state, each also in an older one: closed rows must not be passed over.
      for (let from = 1; from <= FILES; from += AT_ONCE)
        await world.sql(
          `insert into files (repo_id, path, from_seq, to_seq, closed_at, blob_id)
         select f.repo_id, 'd' || n % 200 || '/' || n || '/frame.bin', t.a, t.b, case when t.b is null then null else now() end, f.blob_id
         from files f, generate_series($2::int, $3::int) n, (values (1, 2), (2, null)) t(a, b) where f.repo_id = $1 and f.path = 'seed'`,
          [repo.id, from, from + AT_ONCE - 1],
        )
      await world.sql('update repos set seq = 2 where id = $1', [repo.id])
      await world.sql('analyze files')
      const given = Array.from({ length: 98 }, (_, n) => `d${n}/${n + 1}/new/deep/er/${n}`)
      given.push('d7', 'd9/9/frame.bin/x')
      const values = orderedValues(clashesOfPaths, { repoId: repo.id, paths: given })
      expect(await world.deps.db.query(clashesOfPaths, { repoId: repo.id, paths: given })).toEqual([
        { path: 'd7', other: expect.stringMatching(/^d7\//) },
        { path: 'd9/9/frame.bin/x', other: 'd9/9/frame.bin' },
      ])
      for (const plan of await plansOf(world.deps.db, clashesOfPaths.text, values)) {
        expect(scansOf(plan, 'files')).toEqual([])
        expect(passedOver(plan, 'files')).toBe(0)
        // A path of five folders is six lookups, of three to four blocks each.
        expect(blocksOf(plan)).toBeLessThan(100 * 6 * 5)
      }
      await put(repo, 'd1/1/new')
      const one = orderedValues(clashesOfRestored, { repoId: repo.id, seq: 3 })
      for (const plan of await plansOf(world.deps.db, clashesOfRestored.text, one)) {
        expect(scansOf(plan, 'files')).toEqual([])
        expect(passedOver(plan, 'files')).toBe(0)
        expect(blocksOf(plan)).toBeLessThan(100)
      }
      const restored = orderedValues(clashesOfRestored, { repoId: repo.id, seq: 2 })
      for (const plan of await plansOf(world.deps.db, clashesOfRestored.text, restored)) {
        expect(passedOver(plan, 'files')).toBeLessThan(FILES / 100)
        expect(blocksOf(plan)).toBeLessThan(FILES * 10)
      }
    })
  })
})
