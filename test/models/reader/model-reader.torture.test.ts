// @module-tag long
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@hub/mjcf/limits'
import { cpuStopwatch } from '@hub/testing/cpu'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { MAX_WAVES } from '../../../packages/mjcf/src/processes/limits.ts'
import type { ModelReader } from '../../../src/models/reader/model-reader.ts'
import { openModelReader } from '../../../src/models/reader/open-model-reader.ts'
import { readRepoModel } from '../../../src/models/reader/read-repo-model.ts'
import type { AccountRef, Deps } from '../../../src/operation/context.ts'
import { withShare } from '../../../src/store/connection-share.ts'
import { testDb } from '../../support/database.ts'
import { makeWorld, type World, type WorldRepo } from '../../support/world.ts'

const database = testDb()
const reader = new URL('./support/stand-in-child.ts', import.meta.url)
let world: World
let ada: AccountRef
let models: ModelReader
let repo: WorldRepo

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
  ada = await world.user()
})

afterAll(() => world?.close())

// A reading cached by one test would serve the next one.
beforeEach(async () => {
  models = openModelReader({ log: pino({ level: 'silent' }), reader })
  repo = await world.repo(ada, { kind: 'robot' })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await models.close()
})

async function push(files: Readonly<Record<string, string | Uint8Array>>, into = repo): Promise<void> {
  for (const [path, content] of Object.entries(files))
    await world.upload(world.as(ada), into, path, Buffer.from(content))
}

const never = () => new AbortController().signal
const depsWith = (change: Partial<Deps> = {}): Deps => ({ ...world.deps, models, ...change })
const read = (entry = 'robot.xml', from = repo, change: Partial<Deps> = {}, signal = never()) =>
  readRepoModel({ deps: depsWith(change), repoId: from.id, entry, signal, options: { asker: ada.id } })

/** What a reading of it costs: statements, and objects fetched from the store. */
async function cost(work: () => Promise<unknown>): Promise<{ statements: number; objects: number }> {
  const statements = database.record()
  const get = vi.spyOn(world.disk, 'get')
  await work()
  const objects = get.mock.calls.length
  get.mockRestore()
  return { statements: statements.length, objects }
}

const robot = {
  'robot.xml': 'include arm.xml\ninclude leg.xml',
  'arm.xml': 'asset m/a.stl',
  'leg.xml': 'asset m/b.stl',
}

describe('a model of a repo', () => {
  it('is read with the files that it requests, in any folder', async () => {
    await push({ ...robot, 'm/a.stl': 'solid', 'unrelated.txt': 'x' })
    const { reading, seq } = await read()
    expect(reading.names.bodies).toEqual(['arm.xml 13', 'leg.xml 13', 'm/a.stl 5', 'm/b.stl absent', 'robot.xml 31'])
    expect(seq).toBe(5)
  })

  it('costs one statement for each wave of files, and no read of a mesh', async () => {
    await push({ ...robot, 'm/a.stl': 'solid' })
    // The entry, both includes, the assets of both.
    expect(await cost(() => read())).toEqual({ statements: 3, objects: 3 })
  })

  it('takes connections of nobody while it is read, since others may join', async () => {
    await push({ ...robot, 'm/a.stl': 'solid' })
    let taken = 0
    const take = async () => {
      taken += 1
      return () => undefined
    }
    await withShare({ take }, () => read())
    expect(taken).toBe(1)
  })

  it('is missing if the repo has no such file, or can have none', async () => {
    for (const entry of ['none.xml', '../robot.xml', 'a\0b', '/robot.xml', '']) {
      expect((await read(entry)).reading.names.bodies).toEqual([`${entry} absent`])
    }
  })

  it('is 404 in a deleted repo', async () => {
    await expect(read('robot.xml', { ...repo, id: 'repo_gone' })).rejects.toMatchObject({ type: 'not_found' })
  })

  it('is 503 without an object store, with or without a cached reading', async () => {
    await push(robot)
    await read()
    await expect(read('robot.xml', repo, { objects: null })).rejects.toMatchObject({
      type: 'not_configured.object_store',
    })
  })

  it('passes on that the store does not respond, and is read when it does again', async () => {
    await push(robot)
    const get = vi.spyOn(world.disk, 'get').mockRejectedValue(new Error('the disk is gone'))
    await expect(read()).rejects.toThrow('the disk is gone')
    get.mockRestore()
    expect((await read()).reading.names.bodies).toHaveLength(5)
  })
})

describe('a cached reading', () => {
  it('serves an unchanged model with only one statement', async () => {
    await push({ ...robot, 'm/a.stl': 'solid' })
    const { reading } = await read()
    expect(await cost(async () => expect((await read()).reading).toBe(reading))).toEqual({ statements: 1, objects: 0 })
  })

  it('stays valid after other files of the repo have changed, and names the state it is valid for', async () => {
    await push(robot)
    const first = await read()
    await push({ 'README.md': 'hello' })
    const second = await read()
    expect(second.reading).toBe(first.reading)
    expect(second.seq).toBe(first.seq + 1)
  })

  it('is valid in another repo with the same content, for one statement', async () => {
    await push(robot)
    const { reading } = await read()
    const copy = await world.repo(ada, { kind: 'robot' })
    await push(robot, copy)
    expect(await cost(async () => expect((await read('robot.xml', copy)).reading).toBe(reading))).toEqual({
      statements: 1,
      objects: 0,
    })
  })

  it('coexists with one of the same entry and other files', async () => {
    const other = await world.repo(ada, { kind: 'robot' })
    await push(robot)
    await push({ ...robot, 'arm.xml': 'asset m/c.stl' }, other)
    const [one, two] = [await read(), await read('robot.xml', other)]
    expect(two.reading).not.toBe(one.reading)
    expect([(await read()).reading, (await read('robot.xml', other)).reading]).toEqual([one.reading, two.reading])
    expect(await cost(() => read())).toEqual({ statements: 1, objects: 0 })
  })

  it.each([
    ['the entry changes', { 'robot.xml': 'include arm.xml\ninclude arm.xml' }],
    ['an include changes', { 'arm.xml': 'asset m/z.stl' }],
    ['a file that was missing comes', { 'm/b.stl': 'solid' }],
    ['an asset changes its size', { 'm/a.stl': 'solider' }],
  ])('ends when %s', async (_what, change) => {
    await push({ ...robot, 'm/a.stl': 'solid' })
    const { reading } = await read()
    await push(change)
    expect((await read()).reading.names.bodies).not.toEqual(reading.names.bodies)
  })

  it('is never made from bytes that the hub has not hashed itself', async () => {
    await push(robot)
    await world.sql(`update blobs set sha256 = null from files f where f.blob_id = blobs.id and f.repo_id = $1`, [
      repo.id,
    ])
    const first = await read()
    expect((await read()).reading).not.toBe(first.reading)
  })

  it('is shared by concurrent callers', async () => {
    await push(robot)
    const readings = await Promise.all([read(), read(), read()])
    expect(new Set(readings.map(({ reading }) => reading)).size).toBe(1)
  })

  it('is completed for the remaining callers when one leaves', async () => {
    await push(robot)
    const leaving = new AbortController()
    const gone = read('robot.xml', repo, {}, leaving.signal)
    const stays = read()
    leaving.abort(new Error('left'))
    await expect(gone).rejects.toThrow('left')
    expect((await stays).reading.names.bodies).toHaveLength(5)
  })
})

describe('a model that changes while it is read', () => {
  /** Lets `change` happen when the entry has been fetched, `times` times. */
  function during(change: (time: number) => Promise<void>, times: number): Partial<Deps> {
    let time = 0
    return {
      objects: {
        ...world.disk,
        get: async (key, options) => {
          const found = await world.disk.get(key, options)
          if (time < times) await change(time++)
          return found
        },
      },
    }
  }

  it('is read again if one of its files changed', async () => {
    await push(robot)
    const { reading, seq } = await read(
      'robot.xml',
      repo,
      during(() => push({ 'robot.xml': 'asset x.stl' }), 1),
    )
    expect(reading.names.bodies).toEqual(['robot.xml 11', 'x.stl absent'])
    expect(seq).toBe(4)
  })

  it('is valid for the later state if other files changed', async () => {
    await push(robot)
    const fetched = vi.fn(() => push({ 'README.md': 'hello' }))
    const { reading, seq } = await read('robot.xml', repo, during(fetched, 1))
    expect([reading.names.bodies.length, seq, fetched.mock.calls.length]).toEqual([5, 4, 1])
  })

  it('is 503 if it never stops changing', async () => {
    await push(robot)
    const changing = during((time) => push({ 'arm.xml': `asset ${time}.stl` }), 100)
    await expect(read('robot.xml', repo, changing)).rejects.toMatchObject({ type: 'unavailable' })
  })
})

describe('what a hostile model gets', () => {
  const limitOf = async (entry: string) =>
    (await read(entry)).reading.faults.map(({ kind, message }) => [kind, message])

  it('is 2 s of parsing, during which the hub serves other requests and reads other models', async () => {
    await push({ 'spin.xml': 'spin', ...robot })
    const begin = performance.now()
    const spinning = limitOf('spin.xml')
    let longestMs = 0
    let spentMs = cpuStopwatch()
    let ticks = 0
    const ticking = setInterval(() => {
      ticks += 1
      longestMs = Math.max(longestMs, spentMs())
      spentMs = cpuStopwatch()
    }, 5)
    expect((await read()).reading.names.bodies).toHaveLength(5)
    expect(await spinning).toEqual([['limit', expect.stringContaining('2 s')]])
    clearInterval(ticking)
    expect(performance.now() - begin).toBeGreaterThan(1_900)
    expect(longestMs).toBeLessThan(1_000)
    expect(ticks).toBeGreaterThan(50)
  })

  it.each(['hoard', 'gulp'])('is a bounded heap, and running out of it affects nothing else: %s', async (how) => {
    await push({ 'hoard.xml': how })
    // A machine that is busy may take longer to fill it than the reading may last.
    expect(await limitOf('hoard.xml')).toEqual([['limit', expect.stringMatching(/MiB of memory|2 s/)]])
  })

  it('is no verdict if something else ended the reading', async () => {
    await push({ 'die.xml': 'die' })
    await expect(read('die.xml')).rejects.toMatchObject({ type: 'unavailable' })
  })

  it('is a bounded stack', async () => {
    await push({ 'recurse.xml': 'recurse' })
    expect(await limitOf('recurse.xml')).toEqual([['limit', expect.stringContaining('nested')]])
  })

  it('is no more bytes than show that it is over the limit', async () => {
    await push({ 'large.xml': new Uint8Array(limits.fileBytes + 10) })
    expect((await read('large.xml')).reading.names.bodies).toEqual([`large.xml ${limits.fileBytes + 1}`])
    const half = new Uint8Array(limits.textBytes / 2)
    await push({ 'many.xml': 'include a\ninclude b\ninclude c', a: half, b: half, c: half })
    const { bodies } = (await read('many.xml')).reading.names
    const bytes = bodies.map((text) => Number(text.split(' ')[1])).reduce((sum, size) => sum + size, 0)
    expect(bytes).toBe(limits.textBytes + 1)
  })

  it('is a bounded number of files that each name the next', async () => {
    const chain = Array.from({ length: MAX_WAVES + 1 }, (_, n) => [`${n}`, `include ${n + 1}`])
    // Straight into the tables: so many uploads would take a minute.
    await world.sql(
      `insert into blobs (id, storage_key, size, claimed, sha256)
        select 'blob_chain_' || n, 'chain/' || n, length('include ' || (n + 1)), repeat('0', 64), lpad(n::text, 64, '0')
        from generate_series(0, $1::int) n`,
      [MAX_WAVES],
    )
    await world.sql(
      `insert into files (repo_id, path, from_seq, blob_id) select $1, n::text, 1, 'blob_chain_' || n from generate_series(0, $2::int) n`,
      [repo.id, MAX_WAVES],
    )
    await Promise.all(
      chain.map(([path = '', text = '']) =>
        world.disk.put(`chain/${path}`, Buffer.from(text), { sizeBytes: text.length }),
      ),
    )
    expect(await limitOf('0')).toEqual([['limit', expect.stringContaining('256 deep')]])
    // The last of them names a missing file, which is requested too.
    expect(await limitOf('2')).toEqual([])
  })

  it('leaves both processes usable, however often, and does not last', async () => {
    await push({ 'spin.xml': 'spin', 'hoard.xml': 'hoard', ...robot })
    await Promise.all(['spin.xml', 'hoard.xml', 'spin.xml', 'hoard.xml'].map(limitOf))
    expect((await read()).reading.names.bodies).toHaveLength(5)
    await push({ 'spin.xml': 'no more' })
    expect(await limitOf('spin.xml')).toEqual([])
  })

  it('never blocks the queue: a caller who leaves it affects no other', async () => {
    await push({ 'spin.xml': 'spin', 'spun.xml': 'spin', ...robot })
    const leaving = new AbortController()
    // Both have their processes once they ask for their file, and keep them until they have it.
    const [opened, both] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let asked = 0
    const get: Deps['objects'] = {
      ...world.disk,
      get: async (key, options) => {
        asked += 1
        if (asked === 2) both.resolve()
        await opened.promise
        return world.disk.get(key, options)
      },
    }
    const spinning = ['spin.xml', 'spun.xml'].map((entry) => read(entry, repo, { objects: get }))
    await both.promise
    const gone = ['none.xml', 'nothing.xml'].map((entry) => read(entry, repo, {}, leaving.signal))
    const waiting = [read(), read('arm.xml')]
    setTimeout(() => leaving.abort(new Error('left')), 300)
    for (const one of gone) await expect(one).rejects.toThrow('left')
    opened.resolve()
    for (const one of waiting) expect((await one).reading.faults).toEqual([])
    expect((await Promise.all(spinning)).flatMap(({ reading }) => reading.faults)).toHaveLength(2)
  })

  it('ends with its caller', async () => {
    await push({ 'spin.xml': 'spin', 'spun.xml': 'spin' })
    const ended: string[] = []
    const patient = limitOf('spun.xml').then(() => ended.push('at its limit'))
    await expect(read('spin.xml', repo, {}, AbortSignal.timeout(300))).rejects.toThrow(/aborted/)
    ended.push('with its caller')
    await patient
    expect(ended).toEqual(['with its caller', 'at its limit'])
  })
})

it('is a failure of the hub, not of the model, if the reader has a bug', async () => {
  await push({ 'fail.xml': 'fail' })
  await expect(read('fail.xml')).rejects.toThrow('a mistake of the reader')
})

it('is a failure of the hub that names the reason, if the reader cannot even start', async () => {
  await push(robot)
  const nothing = new URL('./support/nothing.ts', import.meta.url)
  const broken = openModelReader({ log: pino({ level: 'silent' }), reader: nothing })
  await expect(read('robot.xml', repo, { models: broken })).rejects.toThrow(/ended with 1: .*nothing\.ts/s)
  await broken.close()
})

it('waiting for the store does not count as parsing', async () => {
  await push(robot)
  const slow: Partial<Deps> = {
    objects: {
      ...world.disk,
      get: async (key, options) => {
        await pause(1_200)
        return world.disk.get(key, options)
      },
    },
  }
  expect((await read('robot.xml', repo, slow)).reading.faults).toEqual([])
})
