// @module-tag sampled

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeOnce, itInTorture, itOnce } from '@hub/testing/torture'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { byteGate } from '../src/byte-gate.ts'
import { createHubClient, pullRepo, pushFolder } from '../src/internal.ts'
import { silent } from '../src/progress.ts'
import { roundsOf } from '../src/push.ts'
import { PART_BYTES, partSizeFor } from '../src/upload-parts.ts'
import { walkFolder } from '../src/walk.ts'
import { type HubDouble, hubCommand, json, problem, startHubDouble } from './hub-double.ts'

const MIB = 1_048_576
/** The size of the smallest file whose digest the hub computes after the commit. */
const HASHED_LATER = 100 * MIB + 1
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const repo = { owner: 'o', slug: 's' }
let hub: HubDouble
let base: string
let dir: string

const client = () =>
  createHubClient({ url: hub.url, token: 't', retry: { attempts: 3, baseMs: 1, maxMs: 2, random: () => 0.5 } })
const impatient = () =>
  createHubClient({ url: hub.url, token: 't', retry: { attempts: 1, baseMs: 1, maxMs: 1, random: () => 0 } })
const options = (more: object = {}) => ({ cacheDir: join(base, 'cache'), ...more })
const put = async (path: string, bytes: string | Buffer) => {
  await mkdir(join(dir, path, '..'), { recursive: true })
  await writeFile(join(dir, path), bytes)
}

beforeEach(async () => {
  hub = await startHubDouble()
  base = await mkdtemp(join(tmpdir(), 'hub-client-'))
  dir = join(base, 'robot')
  await mkdir(dir)
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

describeOnce('the walk', () => {
  it('lists files in byte order, skips .git and .DS_Store, and follows links that stay inside', async () => {
    await put('b/z.txt', '1')
    await put('a.txt', '2')
    await put('.git/config', '3')
    await put('b/.DS_Store', '4')
    await symlink('a.txt', join(dir, 'link.txt'))
    expect((await walkFolder(dir)).map((file) => file.path)).toEqual(['a.txt', 'b/z.txt', 'link.txt'])
  })
  it('reports every path that cannot be pushed in one error', async () => {
    await put('back\\slash', '1')
    await put('bell\u0007', '2')
    await symlink('/etc/hostname', join(dir, 'out'))
    await symlink('..', join(dir, 'up'))
    await symlink('nowhere', join(dir, 'broken'))
    const error = await walkFolder(dir).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ faults: expect.any(Array) })
    const { faults } = error as { faults: string[] }
    expect(faults).toHaveLength(5)
  })
  it('normalizes names to NFC and refuses two with the same form', async () => {
    await put('e\u0301.txt', '1')
    expect((await walkFolder(dir))[0]?.path).toBe('\u00e9.txt')
    await put('\u00e9.txt', '2')
    await expect(walkFolder(dir)).rejects.toMatchObject({ faults: [expect.stringContaining('Unicode form')] })
  })
  it('applies include and exclude patterns', async () => {
    for (const path of ['a.png', 'm/b.png', 'm/c.stl', '.hidden/d.png']) await put(path, path)
    const paths = async (include: string[], exclude: string[]) =>
      (await walkFolder(dir, { include, exclude })).map((file) => file.path)
    expect(await paths(['*.png'], [])).toEqual(['.hidden/d.png', 'a.png', 'm/b.png'])
    expect(await paths([], ['m/', '.hidden/**'])).toEqual(['a.png'])
  })
})

describe('push', () => {
  itOnce('sends all files in parts, including empty ones, and nothing the second time', async () => {
    await put('big.bin', Buffer.alloc(350_000, 7))
    await put('empty', '')
    const report = await pushFolder(client(), repo, dir, options())
    expect(report).toMatchObject({ sent: expect.arrayContaining(['big.bin', 'empty']), failed: [] })
    expect(hub.files.get('big.bin')?.bytes.equals(Buffer.alloc(350_000, 7))).toBe(true)
    expect([hub.puts.length, hub.stored]).toEqual([4, [0]])
    expect(await pushFolder(client(), repo, dir, options())).toMatchObject({ sent: [], skipped: 2 })
    expect([hub.puts.length, hub.stored, hub.commits.length]).toEqual([4, [0], 1])
  })
  itOnce('sends small files before the parts of a large one, which would hold them up', async () => {
    await put('a-large.bin', Buffer.alloc(2_000_000, 7))
    for (const size of [65_537, 65_538, 65_539]) await put(`b${size}`, Buffer.alloc(size))
    for (const name of ['c', 'd']) await put(name, name)
    hub.fault = (_, __, at) => {
      if (at.pathname === '/put') expect(hub.stored).toEqual([1, 1])
      return false
    }
    await pushFolder(client(), repo, dir, options({ jobs: 1 }))
    expect(hub.puts).toHaveLength(23)
    expect(hub.puts.slice(0, 4)).toEqual(['65537#1', '65538#1', '65539#1', '2000000#1'])
  })
  itInTorture('tells of bytes as they are hashed, and of a file whose digest is known that it was', async () => {
    await put('big.bin', Buffer.alloc(3 * MIB, 7))
    const long = new Date(Date.now() - 60_000)
    await utimes(join(dir, 'big.bin'), long, long)
    const told = async () => {
      const read: string[] = []
      let phase = ''
      const say = (what: string) => phase === 'hash' && read.push(what)
      const progress = {
        ...silent,
        begin: (name: string) => {
          phase = name
        },
        bytes: (count: number, how = 'read') => say(`${count} ${how}`),
        file: (path: string, how = 'read') => say(`${path} ${how}`),
      }
      await pushFolder(client(), repo, dir, options({ progress, dryRun: true }))
      return read
    }
    expect(await told()).toEqual([`${MIB} read`, `${MIB} read`, `${MIB} read`, 'big.bin read'])
    // The time of the last change of its attributes cannot be set: the digest is kept once that is two seconds ago.
    await vi.waitFor(async () => expect(await told()).toEqual([`${3 * MIB} known`, 'big.bin known']), {
      timeout: 100_000,
    })
  })
  itOnce('retries after 500, 429 and a cut connection, and uses a fresh URL after 403', async () => {
    await put('a.bin', Buffer.alloc(100_000, 1))
    await put('b.bin', Buffer.alloc(100_000, 2))
    const faults = [500, 429, 403, 0]
    hub.fault = (request, response, at) => {
      if (at.pathname !== '/put' || faults.length === 0) return false
      const status = faults.shift()
      if (status === 0) request.destroy()
      else problem(response, status ?? 500, 'x', 'injected')
      return true
    }
    expect(await pushFolder(client(), repo, dir, options({ jobs: 2 }))).toMatchObject({ failed: [] })
    expect(hub.calls.filter((call) => call.endsWith('/presign')).length).toBeGreaterThan(1)
  })
  itOnce('retries under the same idempotency key while another request does the work', async () => {
    await put('a', 'aaa')
    const keys: unknown[] = []
    hub.fault = (request, response, at) => {
      if (!at.pathname.endsWith('/commits')) return false
      keys.push(request.headers['idempotency-key'])
      if (keys.length > 2) return false
      problem(response, 409, 'conflict.in_progress', 'another request completes it')
      return true
    }
    expect(await pushFolder(client(), repo, dir, options())).toMatchObject({ sent: ['a'], failed: [] })
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
  })
  itOnce('completes the other files if the hub rejects one', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, name.repeat(100_000))
    hub.fault = async (_, response, at) => {
      if (at.pathname !== '/put' || at.searchParams.get('sha256') !== sha256('b'.repeat(100_000))) return false
      response.writeHead(200, { etag: '"lost"' }).end()
      return true
    }
    const report = await pushFolder(client(), repo, dir, options())
    expect(report.failed).toEqual([{ path: 'b', why: expect.stringContaining('is bad') }])
    expect([...hub.files.keys()].sort()).toEqual(['a', 'c'])
  })
  itOnce('sends what another push of the same bytes has completed first', async () => {
    for (const name of ['theirs', 'gone']) await put(name, name.repeat(100_000))
    hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/blobs/complete')) return false
      const theirs = 'theirs'.repeat(100_000)
      hub.ahead.set(sha256(theirs), Buffer.from(theirs))
      const entry = { type: 'conflict.terminal', detail: 'already ended', loc: ['body', 'uploads', 0, 'upload_id'] }
      problem(response, 409, 'conflict.terminal', 'already ended', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, dir, options())
    expect(report).toMatchObject({ sent: ['theirs'], failed: [{ path: 'gone', why: 'already ended' }] })
  })
  itOnce('resends no finished file or part after the client was killed', async () => {
    await put('done.bin', Buffer.alloc(70_000, 1))
    await put('large.bin', Buffer.alloc(600_000, 2))
    let hold = true
    const stuck = Promise.withResolvers<void>()
    hub.fault = (_, __, at) => {
      const blocked =
        hold &&
        at.pathname === '/put' &&
        at.searchParams.get('sha256') === sha256(Buffer.alloc(600_000, 2)) &&
        Number(at.searchParams.get('n')) > 3
      if (blocked && hub.ahead.size === 1 && hub.puts.length === 4) stuck.resolve()
      return blocked
    }
    const child = spawn(process.execPath, [hubCommand, 'push', dir, 'o/s', '--jobs', '1'], {
      env: { ...process.env, HUB_URL: hub.url, HUB_TOKEN: 't', XDG_CACHE_HOME: base, XDG_CONFIG_HOME: base },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await stuck.promise
    child.kill('SIGKILL')
    await ended
    hold = false
    const before = [...hub.puts]
    expect(await pushFolder(client(), repo, dir, options({ cacheDir: join(base, 'hub', 'transfers') }))).toMatchObject({
      sent: ['large.bin'],
      linked: ['done.bin'],
    })
    expect(hub.puts.slice(before.length).sort()).toEqual(['600000#4', '600000#5', '600000#6'])
    expect([...hub.files.keys()].sort()).toEqual(['done.bin', 'large.bin'])
  })

  itOnce('sends no part again that the store has, also one that another machine sent', async () => {
    await put('large.bin', Buffer.concat([1, 2, 3, 4].map((n) => Buffer.alloc(100_000, n))))
    const stop = new AbortController()
    hub.fault = (_, __, at) => {
      if (at.pathname === '/put' && hub.puts.length === 2) stop.abort(new Error('stopped'))
      return stop.signal.aborted && at.pathname === '/put'
    }
    const first = createHubClient({ url: hub.url, token: 't', signal: stop.signal })
    const stopped = await pushFolder(first, repo, dir, options({ jobs: 1 })).catch((error: unknown) => error)
    expect(stopped).toMatchObject({ done: { files: 0, ofFiles: 1, bytes: 0, ofBytes: 400_000, partialBytes: 200_000 } })
    hub.fault = () => false
    await pushFolder(client(), repo, dir, options({ cacheDir: join(base, 'other machine') }))
    expect(hub.puts.toSorted()).toEqual(['400000#1', '400000#2', '400000#3', '400000#4'])
  })
  itOnce('sends a part again whose bytes in the store are others', async () => {
    const bytes = Buffer.alloc(200_000, 1)
    await put('large.bin', bytes)
    hub.fault = (request, _, at) => {
      const isSecond = at.pathname === '/put' && at.searchParams.get('n') === '2'
      if (isSecond) request.destroy()
      return isSecond
    }
    await pushFolder(impatient(), repo, dir, options({ jobs: 1 }))
    hub.fault = () => false
    const presigned = await client().presignBlobs(repo, [{ size: 200_000, sha256: sha256(bytes) }])
    await fetch(presigned.blobs[0]?.upload?.parts[0]?.url ?? '', { method: 'PUT', body: Buffer.alloc(100_000, 9) })
    await pushFolder(client(), repo, dir, options())
    expect(hub.files.get('large.bin')?.bytes.equals(bytes)).toBe(true)
  })
  itOnce('asks for small parts', async () => {
    await put('a.bin', Buffer.alloc(PART_BYTES + 1))
    hub.close().catch(() => {})
    hub = await startHubDouble('asked')
    expect(await pushFolder(client(), repo, dir, options())).toMatchObject({ sent: ['a.bin'], failed: [] })
    expect(hub.puts.toSorted()).toEqual([`${PART_BYTES + 1}#1`, `${PART_BYTES + 1}#2`])
  })
  itOnce.each([
    [0, null],
    [8 * MIB, null],
    [8 * MIB + 1, 8 * MIB],
    [8192 * MIB, 8 * MIB],
    [8192 * MIB + 1, 16 * MIB],
    [51_200 * MIB, 16 * MIB],
    [160_000 * MIB, 16 * MIB],
    [160_000 * MIB + 1, 17 * MIB],
  ])('a file of %i bytes has parts of %s', (size, part) => {
    expect(partSizeFor(size)).toBe(part)
  })
  itOnce('keeps at most one part on its way', async () => {
    const gate = byteGate(8)
    const open: number[] = []
    const pass = async (bytes: number) => {
      const release = await gate(bytes)
      open.push(bytes)
      return release
    }
    const passing = [8, 3, 4, 9, 1].map(pass)
    const next = async (index: number) => ((await passing[index]) ?? (() => {}))()
    await next(0)
    await Promise.all([passing[1], passing[2]])
    expect(open).toEqual([8, 3, 4])
    await next(1)
    await next(1)
    expect(open).toEqual([8, 3, 4])
    await next(2)
    await next(3)
    await next(4)
    expect(open).toEqual([8, 3, 4, 9, 1])
  })
  itOnce('sends no bytes that the hub has, and each content once', async () => {
    hub.store('there', Buffer.from('aaaaa'))
    hub.ahead.set(sha256('b'.repeat(70_000)), Buffer.alloc(70_000, 'b'))
    for (const [name, text] of Object.entries({ a: 'aaaaa', b: 'b'.repeat(70_000), c: 'ccc', d: 'ccc', e: 'ccc' }))
      await put(name, text)
    const report = await pushFolder(client(), repo, dir, options())
    expect(report).toMatchObject({ linked: ['a', 'b', 'd', 'e'], linkedBytes: 70_011, sent: ['c'], sentBytes: 3 })
    expect([hub.puts, hub.stored, report.failed]).toEqual([[], [3], []])
    expect([...hub.files.keys()].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'there'])
    expect(await pushFolder(client(), repo, dir, options())).toMatchObject({ linked: [], sent: [], skipped: 5 })
  })
  itInTorture('sends small contents in requests of at most 2 MiB and 500 contents', async () => {
    const sizes = [...Array(40).fill(65_536), ...Array(600).fill(10)]
    for (const [index, size] of sizes.entries()) await put(`${index}`, Buffer.alloc(size).fill(`${index} `))
    const requests: number[] = []
    hub.fault = (_, __, at) => {
      if (at.pathname.endsWith('/blobs')) requests.push(hub.stored.length)
      return false
    }
    await pushFolder(client(), repo, dir, options({ jobs: 1 }))
    expect([requests, hub.stored.length, hub.commits.length]).toEqual([[0, 500, 631], 640, 1])
  })
  itOnce.each([
    ['x', 'x/y', '"x" is a file in the repo, and a folder here, with "x/y"'],
    ['x/y', 'x', '"x" is a file here, and a folder in the repo, with "x/y"'],
  ])('sends nothing beside the repo’s file %s, which is in the way of %s', async (there, here, why) => {
    hub.store(there, Buffer.from('1'))
    await put('fine', 'fine')
    await put(here, '2')
    for (const dryRun of [true, false])
      await expect(pushFolder(client(), repo, dir, options({ dryRun }))).rejects.toMatchObject({
        message: expect.stringContaining('nothing was sent. --delete removes'),
        faults: [why],
      })
    // What the filter leaves out is not deleted either. Where it leaves out the folder, nothing of that is sent.
    const kept = options({ deleteExtra: true, filter: { include: [], exclude: ['x/y'] } })
    if (here === 'x') await expect(pushFolder(client(), repo, dir, kept)).rejects.toMatchObject({ faults: [why] })
    expect([hub.puts, hub.stored, [...hub.files.keys()]]).toEqual([[], [], [there]])
  })
  itOnce('makes a change for each 8,000 contents', () => {
    const contents = Array.from({ length: 16_001 }, (_, index) => `${index}`)
    expect(roundsOf(contents).map(({ length }) => length)).toEqual([8000, 8000, 1])
  })
  itOnce('commits what is sent where no more uploads may be pending, and goes on', async () => {
    for (let index = 0; index < 600; index += 1) await put(`${index}`, `${index}`)
    hub.fault = (_, response, at) => {
      if (!/blobs$/.test(at.pathname) || hub.stored.length === 0 || hub.commits.length > 0) return false
      problem(response, 429, 'quota.uploads', 'Too many pending uploads.')
      return true
    }
    const report = await pushFolder(client(), repo, dir, options({ jobs: 1 }))
    expect([report.sent.length, report.failed]).toEqual([600, []])
    expect(hub.commits.map((one) => one.add?.length)).toEqual([500, 100])
    hub.fault = (_, response, at) => {
      if (/blobs$/.test(at.pathname)) problem(response, 429, 'quota.uploads', 'Too many pending uploads.')
      return /blobs$/.test(at.pathname)
    }
    await put('new', 'new')
    await expect(pushFolder(client(), repo, dir, options())).rejects.toThrow('Too many pending uploads.')
  })
  itOnce('with delete, deletes in the change that adds the files', async () => {
    for (const path of ['x', 'y/1', 'y/2', 'gone']) hub.store(path, Buffer.from('1'))
    await put('x/a', 'a')
    await put('y', 'y')
    const dry = await pushFolder(client(), repo, dir, options({ deleteExtra: true, dryRun: true }))
    expect(dry).toMatchObject({ sent: ['x/a', 'y'], deleted: ['x', 'y/1', 'y/2', 'gone'] })
    const report = await pushFolder(client(), repo, dir, options({ deleteExtra: true, message: 'moved' }))
    expect(report).toMatchObject({ sent: ['x/a', 'y'], deleted: ['x', 'y/1', 'y/2', 'gone'], failed: [] })
    expect(hub.commits).toMatchObject([{ message: 'moved', delete: ['x', 'y/1', 'y/2', 'gone'] }])
    expect([...hub.files.keys()].sort()).toEqual(['x/a', 'y'])
  })
  itOnce('with delete, keeps what is in no file’s way if a file cannot be pushed', async () => {
    for (const path of ['x', 'gone']) hub.store(path, Buffer.from('1'))
    await put('x/a', 'a')
    await put('bad', 'b'.repeat(70_000))
    hub.fault = (_, response, at) => {
      if (at.pathname === '/put') response.writeHead(200, { etag: '"lost"' }).end()
      return at.pathname === '/put'
    }
    const report = await pushFolder(client(), repo, dir, options({ deleteExtra: true }))
    expect(report).toMatchObject({ sent: ['x/a'], deleted: ['x'], failed: [{ path: 'bad' }] })
    expect([...hub.files.keys()].sort()).toEqual(['gone', 'x/a'])
  })
  itOnce('with delete, keeps what is in no file’s way if the hub refuses a file of the change', async () => {
    for (const path of ['x', 'old', ...Array.from({ length: 5000 }, (_, index) => `extra/${index}`)])
      hub.store(path, Buffer.from('1'))
    await put('x/a', 'a')
    await put('new', 'b')
    let isRefused = false
    hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/commits') || isRefused) return false
      isRefused = true
      const entry = { type: 'conflict.path', detail: '"new" needs a folder', loc: ['body', 'add', 0, 'path'] }
      problem(response, 409, 'conflict.path', 'In the way.', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, dir, options({ deleteExtra: true }))
    expect(report).toMatchObject({ deleted: ['x'], failed: [{ why: '"new" needs a folder' }] })
    expect([report.sent.length, hub.files.size, hub.commits.length]).toEqual([1, 5002, 1])
  })
  itOnce('with delete, does not mind a file that another request deleted', async () => {
    for (const path of ['gone', 'there']) hub.store(path, Buffer.from('1'))
    await put('a', 'a')
    const refused: string[] = []
    hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/commits') || refused.length > 0) return false
      refused.push('gone')
      const entry = { type: 'not_found', detail: '"gone" does not exist', loc: ['body', 'delete', 0] }
      problem(response, 404, 'not_found', 'Not there.', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, dir, options({ deleteExtra: true }))
    expect(report).toMatchObject({ sent: ['a'], deleted: ['there'], failed: [] })
    expect(hub.commits).toMatchObject([{ delete: ['there'] }])
  })
  itOnce('fails only the files that another request came in the way of', async () => {
    await put('fine', 'fine')
    await put('x/y', 'sent after it')
    const refused: string[] = []
    hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/commits') || refused.length > 0) return false
      refused.push('x/y')
      const entry = { type: 'conflict.path', detail: '"x/y" needs a folder', loc: ['body', 'add', 1, 'path'] }
      problem(response, 409, 'conflict.path', 'In the way.', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, dir, options())
    expect(report).toMatchObject({ failed: [{ path: 'x/y', why: '"x/y" needs a folder' }], sent: ['fine'] })
  })
  itInTorture('skips files it pushed itself before the hub has hashed them', async () => {
    const bytes = Buffer.alloc(HASHED_LATER, 7)
    await put('big.bin', bytes)
    const keys: unknown[] = []
    const answerCommits = (answer: (response: ServerResponse) => void) => {
      hub.fault = async (request, response, at) => {
        const isCommit = at.pathname.endsWith('/commits')
        if (isCommit) keys.push(request.headers['idempotency-key'])
        if (isCommit) answer(response)
        return isCommit
      }
    }
    answerCommits((response) => {
      hub.store('big.bin', bytes, { sha256: null })
      hub.ahead.clear()
      response.destroy()
    })
    await expect(pushFolder(impatient(), repo, dir, options())).rejects.toThrow('cannot be reached')
    const puts = hub.puts.length
    // The answer was lost: the commit is repeated under its key, so that the file is not sent again.
    answerCommits((response) => json(response, { commit_id: 'c'.repeat(40), seq: 1, added: 1, changed: 0, removed: 0 }))
    const skipped = { sent: [], linked: [], skipped: 1 }
    for (const _ of [1, 2]) expect(await pushFolder(client(), repo, dir, options())).toMatchObject(skipped)
    expect([keys, hub.puts.length]).toEqual([[keys[0], keys[0]], puts])
  })
  itOnce('with delete, keeps and names repo files that the folder leaves out', async () => {
    for (const path of ['a.txt', 'gone.txt', 'old.log', '.env', 'other.md']) hub.store(path, Buffer.from(path))
    await put('.gitignore', '*.log\n')
    await put('a.txt', 'a.txt')
    await put('.env', 'TOKEN=1')
    const filter = { include: [], exclude: ['*.md'] }
    const report = await pushFolder(client(), repo, dir, options({ deleteExtra: true, dryRun: true, filter }))
    expect(report).toMatchObject({ deleted: ['gone.txt'], kept: ['old.log', '.env'], sent: ['.gitignore'] })
    expect(report.leftOut).toEqual([{ path: '.env', reason: 'secret', rule: null }])
  })
})

describeOnce('pull', () => {
  const into = () => join(base, 'copy')
  it('downloads every byte, and nothing the second time', async () => {
    hub.store('a/b.bin', Buffer.alloc(70_000, 3))
    hub.store('empty', Buffer.alloc(0))
    await pullRepo(client(), repo, into(), options())
    expect((await readFile(join(into(), 'a/b.bin'))).equals(Buffer.alloc(70_000, 3))).toBe(true)
    expect(await pullRepo(client(), repo, into(), options())).toMatchObject({ fetched: [], skipped: 2 })
    expect((await readdir(into())).sort()).toEqual(['a', 'empty'])
  })
  it('resumes with a range request after a cut', async () => {
    hub.store('b.bin', Buffer.alloc(400_000, 3))
    const ranges: string[] = []
    let cuts = 1
    hub.fault = (request, response, at) => {
      if (at.pathname !== '/get') return false
      ranges.push(request.headers.range ?? 'whole')
      if (cuts === 0) return false
      cuts -= 1
      response.writeHead(200, { 'content-length': 400_000 })
      response.write(Buffer.alloc(100_000, 3), () => setImmediate(() => response.destroy()))
      return true
    }
    expect(await pullRepo(client(), repo, into(), options())).toMatchObject({ fetched: ['b.bin'] })
    expect(ranges).toHaveLength(2)
    expect((await readFile(join(into(), 'b.bin'))).equals(Buffer.alloc(400_000, 3))).toBe(true)
  })
  it('writes no file whose digest differs', async () => {
    hub.store('bad.bin', Buffer.from('other'), { sha256: '0'.repeat(64) })
    hub.store('good.bin', Buffer.from('good'))
    const report = await pullRepo(client(), repo, into(), options())
    expect(report.failed).toEqual([{ path: 'bad.bin', why: expect.stringContaining('SHA-256') }])
    expect(await readdir(into())).toEqual(['good.bin'])
  })
  it.each(['../evil', '/etc/evil', 'a/../../evil', 'a\\b', 'a//b'])(
    'writes nothing if the listing contains %s',
    async (path) => {
      hub.store('good', Buffer.from('1'))
      hub.store(path, Buffer.from('2'))
      await expect(pullRepo(client(), repo, into(), options())).rejects.toThrow('nothing was written')
      await expect(readdir(into())).rejects.toThrow()
    },
  )
  it('follows no link that leaves the folder', async () => {
    await mkdir(into())
    await symlink(dir, join(into(), 'sub'))
    hub.store('sub/x', Buffer.from('1'))
    expect((await pullRepo(client(), repo, into(), options())).failed).toEqual([
      { path: 'sub/x', why: expect.stringContaining('leaves the folder') },
    ])
    expect(await readdir(dir)).toEqual([])
  })
})
