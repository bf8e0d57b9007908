// @module-tag sampled
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { itInTorture } from '@hub/testing/torture'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { registerClientCommands } from '../../packages/cli/src/client-commands.ts'
import { registerLoginCommands } from '../../packages/cli/src/login-command.ts'
import { progressOn } from '../../packages/cli/src/transfer-progress.ts'
import { type HubDouble, json, problem, startHubDouble } from '../../packages/client/test/hub-double.ts'
import { newKeyToken } from '../../src/auth/api-key.ts'
import { otherCasing } from '../support/casing.ts'

let hub: HubDouble
let base: string

beforeEach(async () => {
  hub = await startHubDouble()
  base = await mkdtemp(join(tmpdir(), 'hub-commands-'))
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

/** A writable that collects its input; optionally a terminal. */
function sink(isTTY = false) {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY }), text: () => text }
}

async function hubCommand(args: string[], env: Record<string, string> = {}, interrupt?: (stop: () => void) => void) {
  const out = sink()
  const err = sink()
  let code = -1
  const program = new Command('hub')
    .option('--json')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const io = {
    env: { HUB_URL: hub.url, HUB_TOKEN: 'hub_key_secret', HOME: base, ...env },
    cwd: base,
    stdout: out.stream,
    stderr: err.stream,
    exit: (value: number) => {
      code = value
    },
    onInterrupt: (stop: () => void) => {
      interrupt?.(stop)
      return () => {}
    },
  }
  registerClientCommands(program, io)
  registerLoginCommands(program, { ...io, stdin: Readable.from([]) })
  await program.parseAsync(['node', 'hub', ...args]).catch(() => {})
  return { code, out: out.text(), err: err.text() }
}

describe('exit codes', () => {
  it.each([
    [403, 'forbidden.scope', 3],
    [404, 'not_found', 4],
    [409, 'conflict.taken', 5],
    [422, 'validation.failed', 5],
    [413, 'quota.storage', 5],
    [418, 'teapot', 1],
  ])('a %i response exits with its own code and prints the request id', async (status, type, code) => {
    hub.fault = (_, response) => {
      problem(response, status, type, 'It was refused.', [{ type, detail: 'this one', loc: ['query', 'limit'] }])
      return true
    }
    const ended = await hubCommand(['ls', 'o/s'])
    expect(ended.code).toBe(code)
    expect(ended.err).toContain('It was refused. (request req-1)')
    expect(ended.err).toContain('query.limit: this one')
    expect(ended.err + ended.out).not.toContain('hub_key_secret')
  })
  it.each([[['ls', 'noslash']], [['push', 'x']], [['ls', 'o/s', '--nope']], [['pull', 'o/s', 'x', '--jobs', '0']]])(
    '%j is wrong usage and exits with 2',
    async (args) => {
      expect((await hubCommand(args)).code).toBe(2)
    },
  )
  it('is 130 after Ctrl-C', async () => {
    let stop = () => {}
    hub.fault = () => {
      stop()
      return true
    }
    const ended = await hubCommand(['ls', 'o/s'], {}, (given) => {
      stop = given
    })
    expect(ended.code).toBe(130)
  })
  it('prints once what the response says twice', async () => {
    hub.fault = (_, response) => {
      problem(response, 404, 'not_found', 'No such repo.', [{ type: 'not_found', detail: 'No such repo.' }])
      return true
    }
    expect((await hubCommand(['ls', 'o/s'])).err.match(/No such repo/g)).toHaveLength(1)
    expect((await hubCommand(['ls', 'o/s'], { HUB_TOKEN: '' })).err.match(/No such repo/g)).toHaveLength(1)
  })
  it('is 7 for a push without a token, also of what the repo has already; a dry run needs none', async () => {
    await writeFile(join(base, 'a'), 'a')
    expect((await hubCommand(['push', base, 'o/s', '--include', 'a'])).code).toBe(0)
    const again = await hubCommand(['push', base, 'o/s', '--include', 'a'], { HUB_TOKEN: '' })
    expect([again.code, again.err]).toEqual([7, expect.stringContaining('Run `hub login`')])
    expect((await hubCommand(['push', base, 'o/s', '--include', 'a', '--dry-run'], { HUB_TOKEN: '' })).code).toBe(0)
  })
  // It asks again for six seconds.
  itInTorture('is 1 where no hub answers, with what to look at', async () => {
    const ended = await hubCommand(['ls', 'o/s'], { HUB_URL: 'http://127.0.0.1:1' })
    expect(ended.code).toBe(1)
    const [waiting, refused] = ended.err.split('\n')
    expect(waiting).toMatch(/127\.0\.0\.1:1\S* cannot be reached: .*\. Trying again(?: in \d s)?\.$/)
    expect(refused).toMatch(
      /127\.0\.0\.1:1\S* cannot be reached: .*\. Is the hub running\? HUB_URL or --url names another one\.$/,
    )
  })
  it('is 4, with a hint, for a push to a repo that does not exist', async () => {
    hub.repoExists = false
    await writeFile(join(base, 'a'), 'a')
    const ended = await hubCommand(['push', base, 'o/s'])
    expect(ended).toMatchObject({ code: 4, err: expect.stringContaining('--kind') })
  })
})

describe('output', () => {
  it('is one JSON object with --json', async () => {
    await writeFile(join(base, 'a'), 'a')
    const ended = await hubCommand(['push', base, 'o/s', '--json'], { XDG_CACHE_HOME: '/dev/null/none' })
    expect(JSON.parse(ended.out)).toMatchObject({ repo: 'o/s', sent: ['a'], failed: [] })
    expect(ended).toMatchObject({ code: 0, err: '' })
  })
  it('uses the names of /v1 with --json', async () => {
    await writeFile(join(base, 'a'), 'a')
    const pushed = JSON.parse((await hubCommand(['push', base, 'o/s', '--json'])).out)
    const pulled = JSON.parse((await hubCommand(['pull', 'o/s', join(base, 'copy'), '--json'])).out)
    expect([otherCasing(pushed), otherCasing(pulled)]).toEqual([[], []])
    expect([pushed, pulled]).toMatchObject([
      { sent_bytes: 1, dry_run: false },
      { fetched_bytes: 1, skipped_bytes: 0 },
    ])
  })
  it('is a line of progress every five seconds where there is no terminal', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const { stream, text } = sink()
      const progress = progressOn(stream)
      progress.planned({ send: 4, bytes: 100_000_000, skip: 2, skipBytes: 500 })
      progress.begin('send', 4, 100_000_000)
      progress.bytes(25_000_000)
      progress.file('a')
      vi.advanceTimersByTime(4_999)
      expect(text()).toBe('hub: 4 files to send (100 MB); 2 files (500 B) already there\n')
      vi.advanceTimersByTime(1)
      progress.end()
      vi.advanceTimersByTime(60_000)
      expect(text().split('\n').slice(1)).toEqual([
        'hub: pushing 25%, 25 MB of 100 MB, 1 of 4 files, 5 MB/s, 15 s left',
        '',
      ])
    } finally {
      vi.useRealTimers()
    }
  })
  it('estimates the time that is left by what moves, not by what was there, and not in the first moment', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const { stream, text } = sink()
      const progress = progressOn(stream, { plan: false })
      progress.begin('send', 1, 100_000_000)
      progress.bytes(40_000_000, 'known')
      vi.advanceTimersByTime(5_000)
      progress.bytes(10_000_000)
      vi.advanceTimersByTime(5_000)
      progress.end()
      expect(text().split('\n')).toEqual([
        'hub: pushing 40%, 40 MB of 100 MB, 0 of 1 file, 0 B/s',
        'hub: pushing 50%, 50 MB of 100 MB, 0 of 1 file, 1 MB/s, 50 s left',
        '',
      ])
    } finally {
      vi.useRealTimers()
    }
  })
  it('says nothing of the time that is left while small files alone have moved, and counts empty files by their number', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const { stream, text } = sink()
      const progress = progressOn(stream, { plan: false })
      progress.begin('send', 501, 1_000_500_000)
      for (let sent = 0; sent < 100; sent += 1) {
        vi.advanceTimersByTime(50)
        progress.bytes(1000)
        progress.file('small')
      }
      progress.begin('fetch', 4, 0)
      progress.file('empty')
      vi.advanceTimersByTime(5_000)
      progress.end()
      expect(text().split('\n')).toEqual([
        'hub: pushing 0%, 99 kB of 1 GB, 99 of 501 files, 19.8 kB/s',
        'hub: pulling 25%, 0 B of 0 B, 1 of 4 files, 0 B/s, 15 s left',
        '',
      ])
    } finally {
      vi.useRealTimers()
    }
  })
  it('names what a push leaves out, and every credential also with --json', async () => {
    const dir = join(base, 'robot')
    for (const path of ['.gitignore', 'a.txt', 'a.log', '.env', 'node_modules/x'])
      await mkdir(join(dir, path, '..'), { recursive: true }).then(() =>
        writeFile(join(dir, path), path === '.gitignore' ? '*.log' : path),
      )
    const { err, out } = await hubCommand(['push', dir, 'o/s'])
    expect(err).toContain('hub: left out build and cache folders: node_modules/\n')
    expect(err).toContain('hub: left out by ignore files (--no-ignore sends them): a.log\n')
    expect(err).toContain('1 file that may hold credentials left out (--include-secrets sends them):\n  .env\n')
    expect(out).toContain('2 files (10 B), 0 files already in the repo, 3 left out')
    const json = await hubCommand(['push', dir, 'o/s', '--json'])
    expect(json.err).toBe(
      'hub: warning: 1 file that may hold credentials left out (--include-secrets sends them):\n  .env\n',
    )
    expect(JSON.parse(json.out).left_out).toEqual([
      { path: '.env', reason: 'secret', rule: null },
      { path: 'a.log', reason: 'ignored', rule: '.gitignore: *.log' },
      { path: 'node_modules/', reason: 'built', rule: null },
    ])
    expect(
      JSON.parse((await hubCommand(['push', dir, 'o/s', '--no-ignore', '--include-secrets', '--json'])).out),
    ).toMatchObject({
      sent: ['.env', 'a.log', 'node_modules/x'],
      left_out: [],
    })
  })
  it('exits with 5 for a push of a secret, says file, line, kind and what to do, and never the secret', async () => {
    const [dir, key] = [join(base, 'robot'), newKeyToken()]
    await mkdir(dir)
    await writeFile(join(dir, 'notes.md'), `# Notes\n${key}\n`)
    const ended = await hubCommand(['push', dir, 'o/s'])
    expect([ended.code, ended.out]).toEqual([5, ''])
    expect(ended.err).toContain('hub: Files to send hold secrets; nothing was sent.\n  notes.md:2: API key of a hub\n')
    expect(ended.err).toMatch(/\.hubignore.*--exclude.*--allow-secrets/s)
    const json = await hubCommand(['push', dir, 'o/s', '--json'])
    expect(JSON.parse(json.err).error).toMatchObject({
      type: 'local.secrets',
      errors: [{ detail: 'notes.md:2: API key of a hub' }],
    })
    expect(ended.err + json.err).not.toContain(key.slice(10))
    expect(hub.files.size).toBe(0)
    expect((await hubCommand(['push', dir, 'o/s', '--allow-secrets', '*.md'])).code).toBe(0)
  })
  it('lists the conflicts of a pull, leaves them alone and exits with 5', async () => {
    hub.store('a', Buffer.from('theirs'))
    hub.store('b', Buffer.from('b'))
    await mkdir(join(base, 'copy'))
    await writeFile(join(base, 'copy', 'a'), 'mine')
    const ended = await hubCommand(['pull', 'o/s', 'copy'])
    expect(ended).toMatchObject({ code: 5, out: expect.stringContaining('fetched 1 file') })
    expect(ended.err).toContain('  a: a different file is here that was neither pulled nor pushed from here\n')
    const dry = await hubCommand(['pull', 'o/s', 'copy', '--dry-run', '--force'])
    expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('would fetch   a\n') })
    const asJson = await hubCommand(['pull', 'o/s', 'copy', '--json'])
    expect([asJson.code, JSON.parse(asJson.out)]).toMatchObject([
      5,
      { conflicts: [{ path: 'a' }], fetched: [], skipped: 1 },
    ])
  })
  it('shows a progress bar on a terminal only', () => {
    const written = [true, false].map((isTTY) => {
      const { stream, text } = sink(isTTY)
      const terminal = Object.assign(stream, {
        columns: 80,
        cursorTo() {},
        clearLine() {},
        moveCursor() {},
        clearScreenDown() {},
      })
      const progress = progressOn(terminal)
      progress.begin('send', 2, 100)
      progress.bytes(50)
      progress.file('a')
      progress.end()
      return text()
    })
    expect(written[0]).toContain('pushing')
    expect(written[1]).toBe('')
  })
  it('stores a login readable only by the user and sends it only to its own hub', async () => {
    const seen: Array<string | undefined> = []
    hub.fault = (request, response) => {
      seen.push(request.headers.authorization)
      json(response, { account: { handle: 'ada' } })
      return true
    }
    expect((await hubCommand(['login'])).code).toBe(0)
    expect((await stat(join(base, '.config', 'hub', 'client.json'))).mode & 0o777).toBe(0o600)
    await hubCommand(['whoami'], { HUB_TOKEN: '', HUB_URL: '' })
    await hubCommand(['whoami', '--url', hub.url.replace('127.0.0.1', 'localhost')], { HUB_TOKEN: '' })
    expect(seen).toEqual(['Bearer hub_key_secret', 'Bearer hub_key_secret', undefined])
  })
})
