/** A pull never overwrites or deletes what a person has changed, unless told to. */
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHubClient, type PullOptions, pullRepo, pushFolder } from '../src/internal.ts'
import { type HubDouble, startHubDouble } from './hub-double.ts'

const repo = { owner: 'o', slug: 's' }
let hub: HubDouble
let base: string
let into: string

beforeEach(async () => {
  hub = await startHubDouble()
  base = await mkdtemp(join(tmpdir(), 'hub-pull-'))
  into = join(base, 'copy')
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

const client = () =>
  createHubClient({ url: hub.url, token: 't', retry: { attempts: 2, baseMs: 1, maxMs: 2, random: () => 0.5 } })
const pull = (more: Partial<PullOptions> = {}) =>
  pullRepo(client(), repo, into, { cacheDir: join(base, 'cache'), ...more })
const inRepo = (path: string, text: string) => hub.store(path, Buffer.from(text))
const here = (path: string) => readFile(join(into, path), 'utf8')
const edit = (path: string, text: string) => writeFile(join(into, path), text)
const conflicts = ({ conflicts: found }: { conflicts: ReadonlyArray<{ path: string; why: string }> }) =>
  found.map(({ path, why }) => `${path}: ${why}`)

it('asks once for the addresses of a batch, and a push once for those of its parts, where the clock here is hours ahead', async () => {
  hub.clockMs = -7_200_000
  for (const path of ['a', 'b', 'c']) inRepo(path, path)
  await pull()
  expect(hub.calls.filter((call) => call === 'POST /files/presign-download')).toHaveLength(1)
  await edit('large.bin', 'x'.repeat(350_000))
  await pushFolder(client(), repo, into, { cacheDir: join(base, 'cache') })
  expect(hub.puts.length).toBeGreaterThan(1)
  expect(hub.calls.filter((call) => call === 'POST /blobs/presign')).toHaveLength(1)
})

describe('a file that was pulled', () => {
  it('is replaced by a new version while it is unedited', async () => {
    inRepo('a', 'one')
    await pull()
    inRepo('a', 'two and longer')
    expect(await pull()).toMatchObject({ fetched: ['a'], conflicts: [] })
    expect(await here('a')).toBe('two and longer')
  })

  it('stays as it was edited, whether the repo has changed or not, and the rest is pulled', async () => {
    inRepo('a', 'one')
    inRepo('b', 'one')
    await pull()
    await edit('a', 'uno')
    await edit('b', 'mine')
    inRepo('b', 'two')
    inRepo('c', 'new')
    const report = await pull()
    expect(conflicts(report)).toEqual([
      'a: it was edited here',
      'b: it was edited here, and it has changed in the repo',
    ])
    expect([report.fetched, await here('a'), await here('b'), await here('c')]).toEqual([['c'], 'uno', 'mine', 'new'])
  })

  it('is no conflict if it was edited to what the repo has now', async () => {
    inRepo('a', 'one')
    await pull()
    inRepo('a', 'two')
    await edit('a', 'two')
    expect(await pull()).toMatchObject({ fetched: [], skipped: 1, conflicts: [] })
  })

  it('is fetched again after it was deleted here', async () => {
    inRepo('a', 'one')
    await pull()
    await rm(join(into, 'a'))
    expect(await pull()).toMatchObject({ fetched: ['a'], conflicts: [] })
  })

  it('is overwritten with force, edited or not', async () => {
    inRepo('a', 'one')
    await pull()
    await edit('a', 'mine')
    expect(await pull({ force: true })).toMatchObject({ fetched: ['a'], conflicts: [] })
    expect(await here('a')).toBe('one')
  })

  it('is not overwritten if it is edited while its new version is on its way', async () => {
    inRepo('a', 'one')
    await pull()
    inRepo('a', 'two')
    hub.fault = async (_, __, at) => {
      if (at.pathname === '/get') await appendFile(join(into, 'a'), ' and mine')
      return false
    }
    expect(conflicts(await pull())).toEqual(['a: it was changed here while it was fetched'])
    expect(await here('a')).toBe('one and mine')
  })
})

describe('a file that was not pulled', () => {
  it('is a conflict if it differs, of whatever size, and none if it is equal', async () => {
    await mkdir(into)
    for (const [path, text] of [
      ['equal', 'same'],
      ['size', 'longer than'],
      ['bytes', 'mine'],
    ] as const)
      await edit(path, text)
    inRepo('equal', 'same')
    inRepo('size', 'short')
    inRepo('bytes', 'their')
    const report = await pull()
    const why = 'a different file is here that was neither pulled nor pushed from here'
    expect(conflicts(report)).toEqual([`bytes: ${why}`, `size: ${why}`])
    expect([await here('size'), await here('bytes'), report.skipped]).toEqual(['longer than', 'mine', 1])
  })

  it('counts as pulled once it was pushed from here', async () => {
    await mkdir(into)
    await edit('a', 'one')
    await pushFolder(client(), repo, into, { cacheDir: join(base, 'cache') })
    inRepo('a', 'two')
    expect(await pull()).toMatchObject({ fetched: ['a'], conflicts: [] })
  })

  it('is a conflict if the cache that knew it is lost', async () => {
    inRepo('a', 'one')
    await pull()
    inRepo('a', 'two')
    expect(conflicts(await pull({ cacheDir: join(base, 'other') }))).toHaveLength(1)
    expect(await here('a')).toBe('one')
  })

  it('may be a link: one to equal bytes is equal, any other is a conflict', async () => {
    await mkdir(into)
    await edit('target', 'one')
    await symlink('target', join(into, 'equal'))
    await symlink('target', join(into, 'other'))
    inRepo('equal', 'one')
    inRepo('other', 'two')
    expect(await pull()).toMatchObject({ skipped: 1, conflicts: [{ path: 'other' }] })
  })
})

describe('a pull with delete', () => {
  it('deletes what was pulled, is unedited and is gone from the repo, with folders that are empty then', async () => {
    for (const path of ['a/b/gone', 'a/kept', 'edited', 'excluded']) inRepo(path, path)
    await pull()
    await edit('edited', 'mine')
    await edit('own', 'never pulled')
    hub.files.clear()
    inRepo('a/kept', 'a/kept')
    const options = { deleteGone: true, filter: { include: [], exclude: ['excluded'] } }
    const gone = { deleted: ['a/b/gone'], kept: ['edited'] }
    expect(await pull({ ...options, dryRun: true })).toMatchObject(gone)
    expect(await here('a/b/gone')).toBe('a/b/gone')
    expect(await pull(options)).toMatchObject(gone)
    expect((await readdir(into, { recursive: true })).sort()).toEqual(['a', 'a/kept', 'edited', 'excluded', 'own'])
    expect(await pull(options)).toMatchObject({ deleted: [] })
  })

  it('deletes nothing while a file of the repo could not be pulled', async () => {
    inRepo('gone', 'gone')
    await pull()
    hub.files.clear()
    hub.store('bad', Buffer.from('other'), { sha256: '0'.repeat(64) })
    expect(await pull({ deleteGone: true })).toMatchObject({ failed: [{ path: 'bad' }], deleted: [] })
    expect(await here('gone')).toBe('gone')
  })

  it('is deleted before the fetch where the repo has a folder in its place, or a file in the place of its folder', async () => {
    for (const path of ['x', 'y/1', 'y/2', 'gone']) inRepo(path, path)
    await pull()
    for (const path of ['x', 'y/1', 'y/2', 'gone']) hub.files.delete(path)
    inRepo('x/a', 'inside')
    inRepo('y', 'outside')
    expect((await pull()).failed).toMatchObject([{ path: 'x/a' }, { path: 'y' }])
    expect(await pull({ deleteGone: true })).toMatchObject({
      fetched: ['x/a', 'y'],
      deleted: ['x', 'y/1', 'y/2', 'gone'],
      failed: [],
    })
    expect([await here('x/a'), await here('y'), (await readdir(into)).toSorted()]).toEqual([
      'inside',
      'outside',
      ['x', 'y'],
    ])
  })

  it('stays where the repo has a folder in its place if it was edited, and so does a folder with a file of its own', async () => {
    for (const path of ['x', 'y/1']) inRepo(path, path)
    await pull()
    await edit('x', 'mine')
    await edit('y/own', 'mine')
    for (const path of ['x', 'y/1']) hub.files.delete(path)
    inRepo('x/a', 'inside')
    inRepo('y', 'outside')
    const report = await pull({ deleteGone: true })
    expect(report).toMatchObject({ fetched: [], deleted: ['y/1'], kept: ['x'] })
    expect(report.failed.map(({ path }) => path)).toEqual(['x/a', 'y'])
    expect([await here('x'), await here('y/own')]).toEqual(['mine', 'mine'])
  })

  it('deletes nothing of a folder in it that was pushed or pulled by itself', async () => {
    await mkdir(join(into, 'out'), { recursive: true })
    await edit('out/weights', 'the only copy')
    await pushFolder(client(), repo, join(into, 'out'), { cacheDir: join(base, 'cache') })
    inRepo('weights', 'replaced by another')
    inRepo('pulled', 'p')
    await pullRepo(client(), repo, join(into, 'inner'), { cacheDir: join(base, 'cache') })
    expect(await pull({ deleteGone: true })).toMatchObject({ deleted: [], kept: [] })
    expect([await here('out/weights'), await here('inner/pulled')]).toEqual(['the only copy', 'p'])
  })

  it('deletes nothing through a link', async () => {
    inRepo('sub/a', 'a')
    await pull()
    await rm(join(into, 'sub'), { recursive: true })
    const outside = join(base, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'a'), 'a')
    await symlink(outside, join(into, 'sub'))
    hub.files.clear()
    expect(await pull({ deleteGone: true })).toMatchObject({ deleted: [], kept: ['sub/a'] })
    expect(await readFile(join(outside, 'a'), 'utf8')).toBe('a')
  })
})

describe('a dry run', () => {
  it('writes nothing, not even the folder, and says what a pull would do', async () => {
    inRepo('a', 'one')
    expect(await pull({ dryRun: true })).toMatchObject({ dryRun: true, fetched: ['a'], fetchedBytes: 3 })
    await expect(stat(into)).rejects.toThrow()
    await mkdir(into)
    await edit('a', 'mine')
    inRepo('b', 'two')
    expect(await pull({ dryRun: true })).toMatchObject({ fetched: ['b'], conflicts: [{ path: 'a' }] })
    expect(await readdir(into)).toEqual(['a'])
  })
})
