// @module-tag long
/** Small contents that an interrupted push has sent are not sent again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHubClient, pushFolder } from '../src/internal.ts'
import { silent } from '../src/progress.ts'
import { openState } from '../src/state.ts'
import { type HubDouble, hubCommand, problem, sendsContents, startHubDouble } from './hub-double.ts'

const repo = { owner: 'o', slug: 's' }
/** Requests for small contents that are under way at once. */
const AT_ONCE = 2
const DAY_MS = 86_400_000

let hub: HubDouble
let base: string
let cacheDir: string

beforeEach(async () => {
  hub = await startHubDouble()
  base = await mkdtemp(join(tmpdir(), 'hub-small-'))
  cacheDir = join(base, 'hub', 'transfers')
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

/** A folder of `count` files of this many bytes, of which no two are alike. */
async function folder(name: string, count: number, bytes = 10): Promise<string> {
  const dir = join(base, name)
  await mkdir(dir)
  const make = (_: unknown, index: number) => writeFile(join(dir, `${index}`), `${name} ${index} `.padEnd(bytes, '.'))
  await Promise.all(Array.from({ length: count }, make))
  return dir
}

const push = (dir: string, more: object = {}) => {
  const client = createHubClient({
    url: hub.url,
    token: 't',
    retry: { attempts: 1, baseMs: 1, maxMs: 1, random: () => 0 },
  })
  return pushFolder(client, repo, dir, { cacheDir, ...more })
}

/** Has the hub store every content, but answer only so many requests for them; calls `last` once it owes `AT_ONCE`. */
function answerOnly(requests: number, last: () => void): void {
  let seen = 0
  hub.fault = (_, response, at) => {
    if (!sendsContents(at)) return false
    seen += 1
    if (seen > requests) response.end = () => response
    if (seen === requests + AT_ONCE) setImmediate(last)
    return false
  }
}

/** A push that ends before its commit. */
async function pushWithoutCommit(dir: string): Promise<void> {
  hub.fault = (request, _, at) => {
    const isCommit = at.pathname.endsWith('/commits')
    if (isCommit) request.destroy()
    return isCommit
  }
  await expect(push(dir)).rejects.toThrow('cannot be reached')
  hub.fault = () => false
}

describe('a push of 2,000 small files', () => {
  it('that is killed three times sends again what was under way, at most 8 MiB each time', async () => {
    const bytes = 20_000
    // 209 contents are 4 MiB, which is one request.
    const [perRequest, dir] = [209, await folder('robot', 2000, bytes)]
    const env = { ...process.env, HUB_URL: hub.url, HUB_TOKEN: 't', XDG_CACHE_HOME: base, XDG_CONFIG_HOME: base }
    for (const signal of ['SIGKILL', 'SIGINT', 'SIGKILL'] as const) {
      const child = spawn(process.execPath, [hubCommand, 'push', dir, 'o/s'], { env, stdio: 'ignore' })
      answerOnly(2, () => child.kill(signal))
      await once(child, 'exit')
    }
    hub.fault = () => false
    expect(hub.commits).toEqual([])
    const report = await push(dir)
    expect(report).toMatchObject({ failed: [] })
    expect(report.sent).toHaveLength(2000 - 6 * perRequest)
    expect(report.linked).toHaveLength(6 * perRequest)
    const again = hub.stored.length - 2000
    // Of a request that was only beginning when its sender was killed nothing has come.
    expect(again % perRequest).toBe(0)
    expect(again).toBeLessThanOrEqual(3 * AT_ONCE * perRequest)
    expect(again * bytes).toBeLessThanOrEqual(3 * 8 * 1_048_576)
    expect([hub.files.size, hub.commits.length]).toEqual([2000, 1])
  })

  it('writes a line of its journal for each request and each change, not for each file', async () => {
    await push(await folder('robot', 2000))
    const lines = await linesOf('ahead', 'taken')
    expect(lines).toEqual(['ahead 500', 'ahead 500', 'ahead 500', 'ahead 500', 'taken 1000', 'taken 1000'])
  })
})

async function linesOf(...kinds: string[]): Promise<string[]> {
  const [name = ''] = await readdir(cacheDir)
  const lines = (await readFile(join(cacheDir, name), 'utf8')).split('\n').filter((line) => line.endsWith('}'))
  return lines
    .map((line) => JSON.parse(line) as { k: string; contents?: string[] })
    .filter(({ k }) => kinds.includes(k))
    .map(({ k, contents }) => `${k} ${contents?.length}`)
}

describe('small contents of an earlier push', () => {
  it('are named by a change without being sent again', async () => {
    const dir = await folder('robot', 3)
    await pushWithoutCommit(dir)
    expect(await push(dir)).toMatchObject({ sent: [], linked: ['0', '1', '2'], failed: [] })
    expect([hub.stored.length, [...hub.files.keys()].sort()]).toEqual([3, ['0', '1', '2']])
  })

  it('are sent again, once, if the hub has collected one of them', async () => {
    const dir = await folder('robot', 3)
    await pushWithoutCommit(dir)
    await writeFile(join(dir, 'new'), 'new')
    await writeFile(join(dir, 'copy'), await readFile(join(dir, '0')))
    hub.ahead.delete([...hub.ahead.keys()][1] ?? '')
    const told: number[] = []
    const progress = {
      ...silent,
      begin: () => {
        told.length = 0
      },
      bytes: (count: number) => {
        told.push(count)
      },
    }
    hub.calls.length = 0
    const report = await push(dir, { progress, jobs: 1 })
    expect(report).toMatchObject({ failed: [], linkedBytes: 10, sentBytes: 33 })
    expect([report.sent.length, report.linked.length]).toEqual([4, 1])
    expect(hub.calls.filter((call) => call === 'POST /commits')).toHaveLength(2)
    expect([hub.stored.length, hub.files.size]).toEqual([7, 5])
    // What was taken for stored is taken back.
    expect(told.reduce((sum, count) => sum + count)).toBe(43)
  })

  it('fail if the hub still lacks them after they were sent again, and are not remembered then', async () => {
    const dir = await folder('robot', 3)
    await pushWithoutCommit(dir)
    hub.calls.length = 0
    hub.fault = (_, response, at) => {
      const isCommit = at.pathname.endsWith('/commits')
      if (isCommit) {
        hub.calls.push('commit')
        problem(response, 422, 'upload.part_missing', 'Bytes are missing.')
      }
      return isCommit
    }
    expect((await push(dir)).failed).toHaveLength(3)
    expect(hub.calls.filter((call) => call === 'commit')).toHaveLength(2)
    expect(hub.stored).toHaveLength(6)
  })

  it('that are deleted from the repo after their change are sent without another try', async () => {
    const dir = await folder('robot', 2)
    await push(dir)
    hub.files.clear()
    hub.ahead.clear()
    hub.calls.length = 0
    expect(await push(dir)).toMatchObject({ sent: ['0', '1'], failed: [] })
    expect(hub.calls.filter((call) => call === 'POST /commits')).toHaveLength(1)
  })

  it('are not counted on at another repo or hub', async () => {
    const dir = await folder('robot', 3)
    await pushWithoutCommit(dir)
    const client = createHubClient({ url: hub.url, token: 't' })
    expect((await pushFolder(client, { owner: 'o', slug: 'other' }, dir, { cacheDir })).sent).toHaveLength(3)
    const first = hub
    hub = await startHubDouble()
    await first.close()
    expect((await push(dir)).sent).toHaveLength(3)
    expect(hub.stored).toHaveLength(3)
  })

  it('are counted on by each of two pushes at once, which share a journal', async () => {
    const dirs = await Promise.all(['one', 'two'].map((name) => folder(name, 600)))
    hub.fault = (_, response, at) => {
      const isCommit = at.pathname.endsWith('/commits')
      if (isCommit) problem(response, 503, 'unavailable', 'Not now.')
      return isCommit
    }
    await Promise.all(dirs.map((dir) => push(dir)))
    hub.fault = () => false
    const reports = await Promise.all(dirs.map((dir) => push(dir)))
    expect(reports.map(({ sent, linked, failed }) => [sent.length, linked.length, failed])).toEqual([
      [0, 600, []],
      [0, 600, []],
    ])
    expect([hub.stored.length, hub.files.size]).toEqual([1200, 600])
  })

  it('are counted on for five days, and not if the clock was set back since', () => {
    let now = Date.UTC(2030, 0, 1)
    const open = () => openState(cacheDir, 'http://hub', repo, () => now)
    const state = open()
    state.rememberAhead(['a', 'b'])
    state.forgetAhead(['b', 'never sent'])
    state.close()
    const known = (after: number) => {
      now = Date.UTC(2030, 0, 1) + after
      const next = open()
      next.close()
      return [next.isAhead('a'), next.isAhead('b')]
    }
    expect(known(0)).toEqual([true, false])
    expect(known(5 * DAY_MS - 1)).toEqual([true, false])
    expect(known(5 * DAY_MS)).toEqual([false, false])
    expect(known(-DAY_MS)).toEqual([false, false])
  })

  it('are forgotten without those that the same push has sent', () => {
    const earlier = openState(cacheDir, 'http://hub', repo)
    earlier.rememberAhead(['earlier'])
    const state = openState(cacheDir, 'http://hub', repo)
    state.rememberAhead(['now'])
    state.forgetEarlierAhead()
    const later = openState(cacheDir, 'http://hub', repo)
    expect(['earlier', 'now'].map((one) => later.isAhead(one))).toEqual([false, true])
    for (const one of [earlier, state, later]) one.close()
  })
})

describe('a push whose journal cannot be written', () => {
  const command = (dir: string, cache: string, before: string) =>
    spawn('sh', ['-c', `${before} exec "$@"`, 'sh', process.execPath, hubCommand, 'push', dir, 'o/s'], {
      env: { ...process.env, HUB_URL: hub.url, HUB_TOKEN: 't', XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: base },
      stdio: 'ignore',
    })

  it('because the disk is full sends everything, and leaves a journal that the next one can use', async () => {
    const dir = await folder('robot', 600)
    // 40 blocks of 512 bytes: the line of 500 digests is cut off.
    const [code] = await once(command(dir, base, "trap '' XFSZ; ulimit -f 40;"), 'exit')
    expect([code, hub.files.size, hub.stored.length]).toEqual([0, 600, 600])
    expect(await linesOf('ahead', 'taken')).not.toContain('ahead 500')
    hub.files.clear()
    await pushWithoutCommit(dir)
    expect(await push(dir)).toMatchObject({ sent: [], failed: [] })
  })

  it('because its folder cannot be made sends everything', async () => {
    const dir = await folder('robot', 3)
    await writeFile(join(base, 'file'), '')
    const [code] = await once(command(dir, join(base, 'file'), ''), 'exit')
    expect([code, hub.files.size]).toEqual([0, 3])
  })
})
