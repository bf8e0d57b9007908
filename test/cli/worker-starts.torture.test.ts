/** A worker whose settings do not hold ends with one line that names the setting, before it claims, makes or downloads anything. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createDouble } from '@hub/testing/double'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { runHub } from '../support/command-line.ts'

const SECRET = 'hub_key_that_nobody_prints'
let dir: string
let hub: Server
let url: string
let asked: string[] = []

/** A hub that knows every key and says which requests it got. */
beforeAll(async () => {
  dir = await mkdtemp(join(inject('runDir'), 'worker-starts-'))
  await writeFile(join(dir, 'file'), SECRET)
  await writeFile(join(dir, 'two-tokens'), `${SECRET} ${SECRET}`)
  await mkdir(join(dir, 'broken', 'hub'), { recursive: true })
  await writeFile(join(dir, 'broken', 'hub', 'client.json'), `{ "token": "${SECRET}"`)
  await mkdir(join(dir, 'unread', 'hub', 'client.json'), { recursive: true })
  hub = createDouble((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const known = request.url === '/v1/me'
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(known ? { account: { handle: 'ada', kind: 'user' }, scope: 'train', expires_at: null } : {}),
    )
  })
  hub.listen(0, '127.0.0.1')
  await once(hub, 'listening')
  url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`
})
afterAll(async () => {
  hub.close()
  hub.closeAllConnections()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(() => {
  asked = []
})

const commands = {
  runner: ['runner', '--owner', 'ada', '--command', 'true'],
  'check-worker': ['check-worker'],
  'policy-server': ['policy-server', '--any', '--listen', '127.0.0.1:0', '--public-url', 'ws://127.0.0.1:1/'],
} as const
type Name = keyof typeof commands

/** The one line, without anything that is nobody's business. */
async function refused(name: Name, args: readonly string[], env: Readonly<Record<string, string>>) {
  const home = join(dir, `home-${Math.random()}`)
  const common = { PATH: '', HOME: home, HUB_URL: url, HUB_TOKEN: SECRET, HUB_CHROMIUM: 'off' }
  const { code, out, err } = await runHub([...commands[name], ...args], { ...common, ...env })
  // One that waits for the hub says so.
  const isWaiting = (line: string) => /\. Trying again(?: in \d+ s)?\.$/.test(line)
  const lines = err
    .trimEnd()
    .split('\n')
    .filter((line) => !isWaiting(line))
  // What the worker is and where it works may have been said before.
  const line = lines.at(-1) ?? ''
  expect([code, out, lines.length]).toEqual([expect.any(Number), '', 1])
  expect(code).not.toBe(0)
  expect(err).not.toContain(SECRET)
  expect(err).not.toMatch(/^\s+at /m)
  expect(existsSync(home)).toBe(false)
  return line
}

const notThere = { HUB_URL: 'http://127.0.0.1:1' }
/** The lines of each command for a hub that is not there: it is tried for seconds, so all are begun at once. */
let lonely: Readonly<Record<Name, Promise<string>>>
beforeAll(() => {
  const begun = (name: Name) => {
    const line = refused(name, [], notThere)
    // It is awaited in its test.
    line.catch(() => undefined)
    return line
  }
  lonely = { runner: begun('runner'), 'check-worker': begun('check-worker'), 'policy-server': begun('policy-server') }
})

const workOption = (name: Name) => (name === 'runner' ? '--work-dir' : '--work')

describe.each(Object.keys(commands) as Name[])('hub %s', (name) => {
  it.each([
    ['a URL that is none', { HUB_URL: 'nowhere' }, /^hub: HUB_URL: not an http\(s\) URL; /],
    ['another scheme, with a password', { HUB_URL: `ftp://u:${SECRET}@x` }, /^hub: HUB_URL: not an http\(s\) URL; /],
    ['a URL with a password', { HUB_URL: `http://u:${SECRET}@x` }, /^hub: HUB_URL: .* must not contain a credential; /],
    ['a hub that is not there', notThere, /^hub: .*HUB_URL or --url names another one\.$/],
    ['a token of two lines', { HUB_TOKEN: `a\n${SECRET}` }, /^hub: HUB_TOKEN: it must contain exactly one token, /],
    [
      'a token that no header can carry',
      { HUB_TOKEN: 'hub_key_ключ' },
      /^hub: HUB_TOKEN: it must contain exactly one /,
    ],
    ['no token', { HUB_TOKEN: '' }, /^hub: You are not logged in to .* Run `hub login`\.$/],
  ])('%s', async (_, env, says) => {
    expect(await (env === notThere ? lonely[name] : refused(name, [], env))).toMatch(says)
    expect(asked).toEqual([])
  })

  it.each([
    ['is not there', 'none', /^hub: --token-file: \S+none cannot be read \(ENOENT\); /],
    ['is a folder', '.', /^hub: --token-file: \S+ cannot be read \(EISDIR\); /],
    ['has more than a token', 'two-tokens', /^hub: --token-file: \S+two-tokens must contain exactly one token/],
  ])('a token file that %s', async (_, file, says) => {
    expect(await refused(name, ['--token-file', join(dir, file)], {})).toMatch(says)
  })

  it.each([
    ['is no JSON', 'broken', /^hub: \S+client\.json is not a valid login file; /],
    ['cannot be read', 'unread', /^hub: \S+client\.json, the login file, cannot be read \(EISDIR\); /],
  ])('a login file that %s', async (_, home, says) => {
    expect(await refused(name, [], { XDG_CONFIG_HOME: join(dir, home), HUB_TOKEN: '' })).toMatch(says)
  })

  it('a work folder that cannot be made: nothing is claimed', async () => {
    const line = await refused(name, [workOption(name), join(dir, 'file', 'work')], {})
    expect(line).toMatch(
      new RegExp(`^hub: ${workOption(name)}: \\S+/file/work cannot be made or written \\(ENOTDIR\\); `),
    )
    expect(asked).toEqual(['GET /v1/me'])
  })
})

describe('hub policy-server --listen', () => {
  it.each([
    ['a port in use', () => `127.0.0.1:${new URL(url).port}`, /^hub: --listen: port \d+ on 127\.0\.0\.1 is in use; /],
    [
      'an address of another machine',
      () => '192.0.2.1:8000',
      /^hub: --listen: 192\.0\.2\.1 is not an address of this machine; /,
    ],
    ['a name without an address', () => 'nowhere.invalid:8000', /^hub: --listen: nowhere\.invalid is not a name /],
  ])('%s is told before the hub is asked, and nothing is made', async (_, address, says) => {
    const work = join(dir, `work-${Math.random()}`)
    expect(await refused('policy-server', ['--work', work, '--listen', address()], {})).toMatch(says)
    expect([asked, existsSync(work)]).toEqual([[], false])
  })
})

describe('hub check-worker', () => {
  it.each([
    ['HUB_CHROMIUM', { HUB_CHROMIUM: '/nowhere/chromium' }, /^hub: HUB_CHROMIUM: not an absolute path of a program; /],
    ['HF_ENDPOINT', { HF_ENDPOINT: `mirror?${SECRET}` }, /^hub: HF_ENDPOINT: not an http\(s\) URL; /],
  ])('%s', async (_, env, says) => {
    expect(await refused('check-worker', [], env)).toMatch(says)
    expect((await readdir(dir)).filter((name) => name.startsWith('home-'))).toEqual([])
  })

  it('without a Chromium makes no films, and says what installs one', async () => {
    const missing = 'HUB_CHROMIUM is off: unset it, or set it to the path of a Chromium (apt install chromium).'
    const only = await refused('check-worker', ['--only', 'films'], {})
    expect([only, asked]).toEqual([`hub: Films need a Chromium: ${missing}`, []])
    const env = { PATH: '', HOME: dir, HUB_URL: url, HUB_TOKEN: SECRET, HUB_CHROMIUM: 'off' }
    const isClaiming = () => expect(asked.some((request) => request.includes('claim'))).toBe(true)
    const { err } = await runHub([...commands['check-worker'], '--work', join(dir, 'all')], env, {
      stopWith: (stop) => void vi.waitFor(isClaiming, 30_000).then(stop),
    })
    expect(err).toContain(`makes no films of episodes, which need a Chromium: ${missing}`)
  })
})
