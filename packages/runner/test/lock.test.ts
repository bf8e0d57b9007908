/** A lock of a work folder is held by one living process. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimFile } from '../src/worker/claim-file.ts'
import { dropLock, takeLock } from '../src/worker/lock.ts'

let base: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-lock-'))
})
afterEach(() => rm(base, { recursive: true, force: true }))

const dead = { pid: 4_194_304, born: 'another boot' }

describe('a lock', () => {
  it('is taken by one of many, and again when it was dropped', async () => {
    const file = join(base, 'job', 'lock')
    const taken = await Promise.all(Array.from({ length: 8 }, () => takeLock(file)))
    expect(taken.filter(Boolean)).toHaveLength(1)
    await dropLock(file)
    expect([await takeLock(file), await readdir(join(base, 'job'))]).toEqual([true, ['lock']])
  })

  it('is closed to other users, with its folder', async () => {
    const file = join(base, 'job', 'lock')
    await takeLock(file)
    const modes = await Promise.all([dirname(file), file].map(async (path) => (await stat(path)).mode & 0o777))
    expect(modes).toEqual([0o700, 0o600])
  })

  it('of a process that is gone is taken over', async () => {
    const file = join(base, 'lock')
    await writeFile(file, JSON.stringify(dead))
    expect([await takeLock(file), await takeLock(file)]).toEqual([true, false])
    expect(JSON.parse(await readFile(file, 'utf8')).pid).toBe(process.pid)
  })
})

describe('a claim on disk', () => {
  const claim = { key: 'k', worker: 'box', waitS: 30, owner: null, job: null }
  const claimer = { kind: 'run', url: 'http://hub', credential: 'ada' }
  const leave = (change: object = {}) =>
    writeFile(
      join(base, 'claim-4194304-another_boot-00000000-0000-4000-8000-000000000000.json'),
      JSON.stringify({ ...claim, ...claimer, ...change }),
    )

  it('is taken over by one worker when its process is gone', async () => {
    await leave()
    const found = await Promise.all([1, 2, 3].map(() => claimFile(base, claimer).adopt(null)))
    expect(found.filter((one) => one !== null)).toEqual([claim])
  })

  it.each([{ kind: 'robot_check' }, { url: 'http://other' }, { credential: 'eve' }])(
    'is left to its own worker: %j',
    async (change) => {
      await leave(change)
      expect(await claimFile(base, claimer).adopt(null)).toBeNull()
    },
  )

  it('of a living process is left alone', async () => {
    claimFile(base, claimer).keep(claim)
    expect(await claimFile(base, claimer).adopt(null)).toBeNull()
  })
})
