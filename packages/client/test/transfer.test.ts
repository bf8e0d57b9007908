// @module-tag sampled
/** Bytes of files on their way to a hub and back: in parts, cut off, resumed, and each only once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describeOnce, itInTorture, itOnce } from '@hub/testing/torture'
import { describe, expect, it, vi } from 'vitest'
import { byteGate } from '../src/byte-gate.ts'
import { createHubClient, pullRepo, pushFolder } from '../src/internal.ts'
import { silent } from '../src/progress.ts'
import { PART_BYTES, partSizeFor } from '../src/upload-parts.ts'
import { hubCommand, problem, startHubDouble } from './hub-double.ts'
import { repo, sha256, transferFolder } from './transfer-folder.ts'

const MIB = 1_048_576
const t = transferFolder()
const { client, impatient, options, put } = t

describe('push', () => {
  itOnce('sends all files in parts, including empty ones, and nothing the second time', async () => {
    await put('big.bin', Buffer.alloc(350_000, 7))
    await put('empty', '')
    const report = await pushFolder(client(), repo, t.dir, options())
    expect(report).toMatchObject({ sent: expect.arrayContaining(['big.bin', 'empty']), failed: [] })
    expect(t.hub.files.get('big.bin')?.bytes.equals(Buffer.alloc(350_000, 7))).toBe(true)
    expect([t.hub.puts.length, t.hub.stored]).toEqual([4, [0]])
    expect(await pushFolder(client(), repo, t.dir, options())).toMatchObject({ sent: [], skipped: 2 })
    expect([t.hub.puts.length, t.hub.stored, t.hub.commits.length]).toEqual([4, [0], 1])
  })
  itOnce('sends small files before the parts of a large one, which would hold them up', async () => {
    await put('a-large.bin', Buffer.alloc(2_000_000, 7))
    for (const size of [65_537, 65_538, 65_539]) await put(`b${size}`, Buffer.alloc(size))
    for (const name of ['c', 'd']) await put(name, name)
    t.hub.fault = (_, __, at) => {
      if (at.pathname === '/put') expect(t.hub.stored).toEqual([1, 1])
      return false
    }
    await pushFolder(client(), repo, t.dir, options({ jobs: 1 }))
    expect(t.hub.puts).toHaveLength(23)
    expect(t.hub.puts.slice(0, 4)).toEqual(['65537#1', '65538#1', '65539#1', '2000000#1'])
  })
  itInTorture('tells of bytes as they are hashed, and of a file whose digest is known that it was', async () => {
    await put('big.bin', Buffer.alloc(3 * MIB, 7))
    const long = new Date(Date.now() - 60_000)
    await utimes(join(t.dir, 'big.bin'), long, long)
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
      await pushFolder(client(), repo, t.dir, options({ progress, dryRun: true }))
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
    t.hub.fault = (request, response, at) => {
      if (at.pathname !== '/put' || faults.length === 0) return false
      const status = faults.shift()
      if (status === 0) request.destroy()
      else problem(response, status ?? 500, 'x', 'injected')
      return true
    }
    expect(await pushFolder(client(), repo, t.dir, options({ jobs: 2 }))).toMatchObject({ failed: [] })
    expect(t.hub.calls.filter((call) => call.endsWith('/presign')).length).toBeGreaterThan(1)
  })
  itOnce('retries under the same idempotency key while another request does the work', async () => {
    await put('a', 'aaa')
    const keys: unknown[] = []
    t.hub.fault = (request, response, at) => {
      if (!at.pathname.endsWith('/commits')) return false
      keys.push(request.headers['idempotency-key'])
      if (keys.length > 2) return false
      problem(response, 409, 'conflict.in_progress', 'another request completes it')
      return true
    }
    expect(await pushFolder(client(), repo, t.dir, options())).toMatchObject({ sent: ['a'], failed: [] })
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
  })
  itOnce('completes the other files if the hub rejects one', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, name.repeat(100_000))
    t.hub.fault = async (_, response, at) => {
      if (at.pathname !== '/put' || at.searchParams.get('sha256') !== sha256('b'.repeat(100_000))) return false
      response.writeHead(200, { etag: '"lost"' }).end()
      return true
    }
    const report = await pushFolder(client(), repo, t.dir, options())
    expect(report.failed).toEqual([{ path: 'b', why: expect.stringContaining('is bad') }])
    expect([...t.hub.files.keys()].sort()).toEqual(['a', 'c'])
  })
  itOnce('sends what another push of the same bytes has completed first', async () => {
    for (const name of ['theirs', 'gone']) await put(name, name.repeat(100_000))
    t.hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/blobs/complete')) return false
      const theirs = 'theirs'.repeat(100_000)
      t.hub.ahead.set(sha256(theirs), Buffer.from(theirs))
      const entry = { type: 'conflict.terminal', detail: 'already ended', loc: ['body', 'uploads', 0, 'upload_id'] }
      problem(response, 409, 'conflict.terminal', 'already ended', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, t.dir, options())
    expect(report).toMatchObject({ sent: ['theirs'], failed: [{ path: 'gone', why: 'already ended' }] })
  })
  itOnce('resends no finished file or part after the client was killed', async () => {
    await put('done.bin', Buffer.alloc(70_000, 1))
    await put('large.bin', Buffer.alloc(600_000, 2))
    let hold = true
    const stuck = Promise.withResolvers<void>()
    t.hub.fault = (_, __, at) => {
      const blocked =
        hold &&
        at.pathname === '/put' &&
        at.searchParams.get('sha256') === sha256(Buffer.alloc(600_000, 2)) &&
        Number(at.searchParams.get('n')) > 3
      if (blocked && t.hub.ahead.size === 1 && t.hub.puts.length === 4) stuck.resolve()
      return blocked
    }
    const child = spawn(process.execPath, [hubCommand, 'push', t.dir, 'o/s', '--jobs', '1'], {
      env: { ...process.env, HUB_URL: t.hub.url, HUB_TOKEN: 't', XDG_CACHE_HOME: t.base, XDG_CONFIG_HOME: t.base },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await stuck.promise
    child.kill('SIGKILL')
    await ended
    hold = false
    const before = [...t.hub.puts]
    expect(
      await pushFolder(client(), repo, t.dir, options({ cacheDir: join(t.base, 'hub', 'transfers') })),
    ).toMatchObject({
      sent: ['large.bin'],
      linked: ['done.bin'],
    })
    expect(t.hub.puts.slice(before.length).sort()).toEqual(['600000#4', '600000#5', '600000#6'])
    expect([...t.hub.files.keys()].sort()).toEqual(['done.bin', 'large.bin'])
  })

  itOnce('sends no part again that the store has, also one that another machine sent', async () => {
    await put('large.bin', Buffer.concat([1, 2, 3, 4].map((n) => Buffer.alloc(100_000, n))))
    const stop = new AbortController()
    t.hub.fault = (_, __, at) => {
      if (at.pathname === '/put' && t.hub.puts.length === 2) stop.abort(new Error('stopped'))
      return stop.signal.aborted && at.pathname === '/put'
    }
    const first = createHubClient({ url: t.hub.url, token: 't', signal: stop.signal })
    const stopped = await pushFolder(first, repo, t.dir, options({ jobs: 1 })).catch((error: unknown) => error)
    expect(stopped).toMatchObject({ done: { files: 0, ofFiles: 1, bytes: 0, ofBytes: 400_000, partialBytes: 200_000 } })
    t.hub.fault = () => false
    await pushFolder(client(), repo, t.dir, options({ cacheDir: join(t.base, 'other machine') }))
    expect(t.hub.puts.toSorted()).toEqual(['400000#1', '400000#2', '400000#3', '400000#4'])
  })
  itOnce('sends a part again whose bytes in the store are others', async () => {
    const bytes = Buffer.alloc(200_000, 1)
    await put('large.bin', bytes)
    t.hub.fault = (request, _, at) => {
      const isSecond = at.pathname === '/put' && at.searchParams.get('n') === '2'
      if (isSecond) request.destroy()
      return isSecond
    }
    await pushFolder(impatient(), repo, t.dir, options({ jobs: 1 }))
    t.hub.fault = () => false
    const presigned = await client().presignBlobs(repo, [{ size: 200_000, sha256: sha256(bytes) }])
    await fetch(presigned.blobs[0]?.upload?.parts[0]?.url ?? '', { method: 'PUT', body: Buffer.alloc(100_000, 9) })
    await pushFolder(client(), repo, t.dir, options())
    expect(t.hub.files.get('large.bin')?.bytes.equals(bytes)).toBe(true)
  })
  itOnce('asks for small parts', async () => {
    await put('a.bin', Buffer.alloc(PART_BYTES + 1))
    t.hub.close().catch(() => {})
    t.hub = await startHubDouble('asked')
    expect(await pushFolder(client(), repo, t.dir, options())).toMatchObject({ sent: ['a.bin'], failed: [] })
    expect(t.hub.puts.toSorted()).toEqual([`${PART_BYTES + 1}#1`, `${PART_BYTES + 1}#2`])
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
})

describeOnce('pull', () => {
  const into = () => join(t.base, 'copy')
  it('downloads every byte, and nothing the second time', async () => {
    t.hub.store('a/b.bin', Buffer.alloc(70_000, 3))
    t.hub.store('empty', Buffer.alloc(0))
    await pullRepo(client(), repo, into(), options())
    expect((await readFile(join(into(), 'a/b.bin'))).equals(Buffer.alloc(70_000, 3))).toBe(true)
    expect(await pullRepo(client(), repo, into(), options())).toMatchObject({ fetched: [], skipped: 2 })
    expect((await readdir(into())).sort()).toEqual(['a', 'empty'])
  })
  it('resumes with a range request after a cut', async () => {
    t.hub.store('b.bin', Buffer.alloc(400_000, 3))
    const ranges: string[] = []
    let cuts = 1
    t.hub.fault = (request, response, at) => {
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
    t.hub.store('bad.bin', Buffer.from('other'), { sha256: '0'.repeat(64) })
    t.hub.store('good.bin', Buffer.from('good'))
    const report = await pullRepo(client(), repo, into(), options())
    expect(report.failed).toEqual([{ path: 'bad.bin', why: expect.stringContaining('SHA-256') }])
    expect(await readdir(into())).toEqual(['good.bin'])
  })
  it.each(['../evil', '/etc/evil', 'a/../../evil', 'a\\b', 'a//b'])(
    'writes nothing if the listing contains %s',
    async (path) => {
      t.hub.store('good', Buffer.from('1'))
      t.hub.store(path, Buffer.from('2'))
      await expect(pullRepo(client(), repo, into(), options())).rejects.toThrow('nothing was written')
      await expect(readdir(into())).rejects.toThrow()
    },
  )
  it('follows no link that leaves the folder', async () => {
    await mkdir(into())
    await symlink(t.dir, join(into(), 'sub'))
    t.hub.store('sub/x', Buffer.from('1'))
    expect((await pullRepo(client(), repo, into(), options())).failed).toEqual([
      { path: 'sub/x', why: expect.stringContaining('leaves the folder') },
    ])
    expect(await readdir(t.dir)).toEqual([])
  })
})
