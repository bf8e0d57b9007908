// @module-tag sampled
/** What a push makes of the repo: which contents are sent or linked, what is in their way, deleted, or left alone. */
import type { ServerResponse } from 'node:http'
import { itInTorture, itOnce } from '@hub/testing/torture'
import { describe, expect } from 'vitest'
import { pushFolder } from '../src/internal.ts'
import { roundsOf } from '../src/push.ts'
import { json, problem, sendsContents } from './hub-double.ts'
import { repo, sha256, transferFolder } from './transfer-folder.ts'

const MIB = 1_048_576
/** The size of the smallest file whose digest the hub computes after the commit. */
const HASHED_LATER = 100 * MIB + 1
const t = transferFolder()
const { client, impatient, options, put } = t

describe('push', () => {
  itOnce('sends no bytes that the hub has, and each content once', async () => {
    t.hub.store('there', Buffer.from('aaaaa'))
    t.hub.ahead.set(sha256('b'.repeat(70_000)), Buffer.alloc(70_000, 'b'))
    for (const [name, text] of Object.entries({ a: 'aaaaa', b: 'b'.repeat(70_000), c: 'ccc', d: 'ccc', e: 'ccc' }))
      await put(name, text)
    const report = await pushFolder(client(), repo, t.dir, options())
    expect(report).toMatchObject({ linked: ['a', 'b', 'd', 'e'], linkedBytes: 70_011, sent: ['c'], sentBytes: 3 })
    expect([t.hub.puts, t.hub.stored, report.failed]).toEqual([[], [3], []])
    expect([...t.hub.files.keys()].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'there'])
    expect(await pushFolder(client(), repo, t.dir, options())).toMatchObject({ linked: [], sent: [], skipped: 5 })
  })
  itOnce('sends small contents as archives, and in base64 to a hub that takes none, which it asks once', async () => {
    for (const takes of [true, false]) {
      t.hub.takesArchives = takes
      for (const name of ['a', 'b', 'empty']) await put(`${takes}/${name}`, name === 'empty' ? '' : `${takes} ${name}`)
      const before = t.hub.calls.length
      expect(await pushFolder(client(), repo, t.dir, options({ jobs: 1 }))).toMatchObject({ failed: [] })
      expect(t.hub.calls.slice(before).filter((call) => /blobs/.test(call))).toEqual(
        takes ? ['PUT /blobs/archive'] : ['PUT /blobs/archive', 'POST /blobs'],
      )
    }
    expect(t.hub.files.get('false/b')?.bytes.toString()).toBe('false b')
    expect(t.hub.files.get('true/empty')?.size).toBe(0)
  })
  itOnce.each(['validation.unknown_member', 'validation.value'])(
    'commits without the run that a hub refuses with %s, if it may',
    async (fault) => {
      t.hub.runFault = fault
      await put('a', 'a')
      const strict = await pushFolder(client(), repo, t.dir, options({ runId: 'run_1' }))
      expect([strict.failed.length, t.hub.commits.length]).toEqual([1, 0])
      const said: string[] = []
      const lenient = options({ runId: 'run_1', onRunRefused: (why: string) => said.push(why) })
      expect(await pushFolder(client(), repo, t.dir, lenient)).toMatchObject({ failed: [] })
      expect([t.hub.commits.length, t.hub.files.size, said.length]).toEqual([1, 1, 1])
    },
  )
  itInTorture('sends small contents in requests of at most 4 MiB and 500 contents', async () => {
    const sizes = [...Array(80).fill(65_536), ...Array(600).fill(10)]
    for (const [index, size] of sizes.entries()) await put(`${index}`, Buffer.alloc(size).fill(`${index} `))
    const requests: number[] = []
    t.hub.fault = (_, __, at) => {
      if (sendsContents(at)) requests.push(t.hub.stored.length)
      return false
    }
    await pushFolder(client(), repo, t.dir, options({ jobs: 1 }))
    expect([requests, t.hub.stored.length, t.hub.commits.length]).toEqual([[0, 500, 663], 680, 1])
  })
  itOnce.each([
    ['x', 'x/y', '"x" is a file in the repo, and a folder here, with "x/y"'],
    ['x/y', 'x', '"x" is a file here, and a folder in the repo, with "x/y"'],
  ])('sends nothing beside the repo’s file %s, which is in the way of %s', async (there, here, why) => {
    t.hub.store(there, Buffer.from('1'))
    await put('fine', 'fine')
    await put(here, '2')
    for (const dryRun of [true, false])
      await expect(pushFolder(client(), repo, t.dir, options({ dryRun }))).rejects.toMatchObject({
        message: expect.stringContaining('nothing was sent. --delete removes'),
        faults: [why],
      })
    // What the filter leaves out is not deleted either. Where it leaves out the folder, nothing of that is sent.
    const kept = options({ deleteExtra: true, filter: { include: [], exclude: ['x/y'] } })
    if (here === 'x') await expect(pushFolder(client(), repo, t.dir, kept)).rejects.toMatchObject({ faults: [why] })
    expect([t.hub.puts, t.hub.stored, [...t.hub.files.keys()]]).toEqual([[], [], [there]])
  })
  itOnce('makes a change for each 8,000 contents', () => {
    const contents = Array.from({ length: 16_001 }, (_, index) => `${index}`)
    expect(roundsOf(contents).map(({ length }) => length)).toEqual([8000, 8000, 1])
  })
  itOnce('commits what is sent where no more uploads may be pending, and goes on', async () => {
    for (let index = 0; index < 600; index += 1) await put(`${index}`, `${index}`)
    t.hub.fault = (_, response, at) => {
      if (!sendsContents(at) || t.hub.stored.length === 0 || t.hub.commits.length > 0) return false
      problem(response, 429, 'quota.uploads', 'Too many pending uploads.')
      return true
    }
    const report = await pushFolder(client(), repo, t.dir, options({ jobs: 1 }))
    expect([report.sent.length, report.failed]).toEqual([600, []])
    expect(t.hub.commits.map((one) => one.add?.length)).toEqual([500, 100])
    t.hub.fault = (_, response, at) => {
      if (sendsContents(at)) problem(response, 429, 'quota.uploads', 'Too many pending uploads.')
      return sendsContents(at)
    }
    await put('new', 'new')
    await expect(pushFolder(client(), repo, t.dir, options())).rejects.toThrow('Too many pending uploads.')
  })
  itOnce('with delete, deletes in the change that adds the files', async () => {
    for (const path of ['x', 'y/1', 'y/2', 'gone']) t.hub.store(path, Buffer.from('1'))
    await put('x/a', 'a')
    await put('y', 'y')
    const dry = await pushFolder(client(), repo, t.dir, options({ deleteExtra: true, dryRun: true }))
    expect(dry).toMatchObject({ sent: ['x/a', 'y'], deleted: ['x', 'y/1', 'y/2', 'gone'] })
    const report = await pushFolder(client(), repo, t.dir, options({ deleteExtra: true, message: 'moved' }))
    expect(report).toMatchObject({ sent: ['x/a', 'y'], deleted: ['x', 'y/1', 'y/2', 'gone'], failed: [] })
    expect(t.hub.commits).toMatchObject([{ message: 'moved', delete: ['x', 'y/1', 'y/2', 'gone'] }])
    expect([...t.hub.files.keys()].sort()).toEqual(['x/a', 'y'])
  })
  itOnce('with delete, keeps what is in no file’s way if a file cannot be pushed', async () => {
    for (const path of ['x', 'gone']) t.hub.store(path, Buffer.from('1'))
    await put('x/a', 'a')
    await put('bad', 'b'.repeat(70_000))
    t.hub.fault = (_, response, at) => {
      if (at.pathname === '/put') response.writeHead(200, { etag: '"lost"' }).end()
      return at.pathname === '/put'
    }
    const report = await pushFolder(client(), repo, t.dir, options({ deleteExtra: true }))
    expect(report).toMatchObject({ sent: ['x/a'], deleted: ['x'], failed: [{ path: 'bad' }] })
    expect([...t.hub.files.keys()].sort()).toEqual(['gone', 'x/a'])
  })
  itOnce('with delete, keeps what is in no file’s way if the hub refuses a file of the change', async () => {
    for (const path of ['x', 'old', ...Array.from({ length: 5000 }, (_, index) => `extra/${index}`)])
      t.hub.store(path, Buffer.from('1'))
    await put('x/a', 'a')
    await put('new', 'b')
    let isRefused = false
    t.hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/commits') || isRefused) return false
      isRefused = true
      const entry = { type: 'conflict.path', detail: '"new" needs a folder', loc: ['body', 'add', 0, 'path'] }
      problem(response, 409, 'conflict.path', 'In the way.', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, t.dir, options({ deleteExtra: true }))
    expect(report).toMatchObject({ deleted: ['x'], failed: [{ why: '"new" needs a folder' }] })
    expect([report.sent.length, t.hub.files.size, t.hub.commits.length]).toEqual([1, 5002, 1])
  })
  itOnce('with delete, does not mind a file that another request deleted', async () => {
    for (const path of ['gone', 'there']) t.hub.store(path, Buffer.from('1'))
    await put('a', 'a')
    const refused: string[] = []
    t.hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/commits') || refused.length > 0) return false
      refused.push('gone')
      const entry = { type: 'not_found', detail: '"gone" does not exist', loc: ['body', 'delete', 0] }
      problem(response, 404, 'not_found', 'Not there.', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, t.dir, options({ deleteExtra: true }))
    expect(report).toMatchObject({ sent: ['a'], deleted: ['there'], failed: [] })
    expect(t.hub.commits).toMatchObject([{ delete: ['there'] }])
  })
  itOnce('fails only the files that another request came in the way of', async () => {
    await put('fine', 'fine')
    await put('x/y', 'sent after it')
    const refused: string[] = []
    t.hub.fault = (_, response, at) => {
      if (!at.pathname.endsWith('/commits') || refused.length > 0) return false
      refused.push('x/y')
      const entry = { type: 'conflict.path', detail: '"x/y" needs a folder', loc: ['body', 'add', 1, 'path'] }
      problem(response, 409, 'conflict.path', 'In the way.', [entry])
      return true
    }
    const report = await pushFolder(client(), repo, t.dir, options())
    expect(report).toMatchObject({ failed: [{ path: 'x/y', why: '"x/y" needs a folder' }], sent: ['fine'] })
  })
  itInTorture('skips files it pushed itself before the hub has hashed them', async () => {
    const bytes = Buffer.alloc(HASHED_LATER, 7)
    await put('big.bin', bytes)
    const keys: unknown[] = []
    const answerCommits = (answer: (response: ServerResponse) => void) => {
      t.hub.fault = async (request, response, at) => {
        const isCommit = at.pathname.endsWith('/commits')
        if (isCommit) keys.push(request.headers['idempotency-key'])
        if (isCommit) answer(response)
        return isCommit
      }
    }
    answerCommits((response) => {
      t.hub.store('big.bin', bytes, { sha256: null })
      t.hub.ahead.clear()
      response.destroy()
    })
    await expect(pushFolder(impatient(), repo, t.dir, options())).rejects.toThrow('cannot be reached')
    const puts = t.hub.puts.length
    // The answer was lost: the commit is repeated under its key, so that the file is not sent again.
    answerCommits((response) => json(response, { commit_id: 'c'.repeat(40), seq: 1, added: 1, changed: 0, removed: 0 }))
    const skipped = { sent: [], linked: [], skipped: 1 }
    for (const _ of [1, 2]) expect(await pushFolder(client(), repo, t.dir, options())).toMatchObject(skipped)
    expect([keys, t.hub.puts.length]).toEqual([[keys[0], keys[0]], puts])
  })
  itOnce('with delete, keeps and names repo files that the folder leaves out', async () => {
    for (const path of ['a.txt', 'gone.txt', 'old.log', '.env', 'other.md']) t.hub.store(path, Buffer.from(path))
    await put('.gitignore', '*.log\n')
    await put('a.txt', 'a.txt')
    await put('.env', 'TOKEN=1')
    const filter = { include: [], exclude: ['*.md'] }
    const report = await pushFolder(client(), repo, t.dir, options({ deleteExtra: true, dryRun: true, filter }))
    expect(report).toMatchObject({ deleted: ['gone.txt'], kept: ['old.log', '.env'], sent: ['.gitignore'] })
    expect(report.leftOut).toEqual([{ path: '.env', reason: 'secret', rule: null }])
  })
})
