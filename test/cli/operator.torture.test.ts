import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { otherCasing } from '../support/casing.ts'
import { runHub } from '../support/command-line.ts'
import { testDb } from '../support/database.ts'
import { databaseUrl } from '../support/global-setup.ts'

const database = testDb()
const entry = fileURLToPath(new URL('../../src/operator/hub.ts', import.meta.url))
const secret = 'a secret of more than thirty-two characters'
const log = pino({ level: 'silent' })
let dataDir: string
let hub: RunningHub

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-cli-'))
})
afterAll(async () => {
  await hub?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** The program with only these settings. */
async function run(args: readonly string[], settings: Record<string, string>) {
  const { code, out, err } = await runHub(args, { HOME: dataDir, HUB_DATA_DIR: dataDir, ...settings })
  return { code, stdout: out, stderr: err }
}

type Ended = Awaited<ReturnType<typeof run>>

/** A process of its own. */
function spawned(args: readonly string[], settings: Record<string, string>): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', HOME: dataDir, HUB_DATA_DIR: dataDir, ...settings }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [entry, ...args], { env, cwd: dataDir }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

const external = () => ({ DATABASE_URL: database.url, HUB_SECRET: secret })
const onUrl = (...args: string[]) => run(args, external())

/** The single JSON object that a command printed. */
function object(ended: Ended) {
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  expect(ended.stdout.trim().split('\n')).toHaveLength(1)
  const answer = JSON.parse(ended.stdout)
  expect(otherCasing(answer)).toEqual([])
  return answer
}

async function me(url: string, token: string) {
  const response = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, json: JSON.parse(await response.text()) }
}

describe('hub on DATABASE_URL', () => {
  it('creates users, orgs, keys and sessions that the running server accepts at once', async () => {
    hub = await startHub(readConfig({ ...external(), PORT: '0', HUB_DATA_DIR: dataDir }), log)
    expect(object(await onUrl('user', 'add', 'ada', '--name', 'Ada Lovelace', '--json'))).toMatchObject({
      id: expect.stringMatching(/^user_/),
      handle: 'ada',
      name: 'Ada Lovelace',
    })
    object(await onUrl('user', 'add', 'bob', '--json'))
    const org = object(
      await onUrl('org', 'add', 'acme', '--name', 'Acme', '--member', 'ada:owner', '--member', 'bob', '--json'),
    )
    expect(org).toMatchObject({ id: expect.stringMatching(/^org_/), handle: 'acme', kind: 'org' })
    const roles = await database.db.query<{ handle: string; role: string }>({
      name: '',
      text: 'select a.handle, m.role from memberships m join accounts a on a.id = m.user_id order by a.handle',
    })
    expect(roles).toEqual([
      { handle: 'ada', role: 'owner' },
      { handle: 'bob', role: 'member' },
    ])

    const session = object(await onUrl('session', 'add', 'ada', '--ttl', '600', '--json'))
    const { json } = await me(hub.url, session.token)
    expect(json).toMatchObject({ kind: 'session', account: { handle: 'ada' }, orgs: [{ handle: 'acme' }] })
    const ends = Date.parse(json.expires_at) - Date.now()
    expect(ends).toBeGreaterThan(500_000)
    expect(ends).toBeLessThanOrEqual(600_000)

    const made = await fetch(`${hub.url}/v1/repos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'robot', slug: 'arm', owner: 'acme' }),
    })
    expect(made.status).toBe(201)
    const key = object(
      await onUrl(
        'key',
        'add',
        'acme',
        '--scope',
        'train',
        '--name',
        'runner',
        '--repo',
        'acme/arm',
        '--agent',
        '--gpu-hours',
        '2.5',
        '--expires',
        '2099-01-31T00:00:00Z',
        '--json',
      ),
    )
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_/),
      handle: 'acme',
      token: expect.stringMatching(/^hub_key_/),
      daily_gpu_hour_quota: 2.5,
      expires_at: '2099-01-31T00:00:00.000Z',
    })
    expect((await me(hub.url, key.token)).json).toMatchObject({
      kind: 'key',
      credential_id: key.id,
      name: 'runner',
      scope: 'train',
      repos: ['acme/arm'],
      agent: true,
      daily_gpu_hour_quota: 2.5,
      expires_at: '2099-01-31T00:00:00.000Z',
    })
  })

  it('rotates the signing key of a running server, which accepts sessions of both keys', async () => {
    const before = object(await onUrl('session', 'add', 'ada', '--json'))
    const { kid } = object(await onUrl('signing-key', 'rotate', '--json'))
    const after = object(await onUrl('session', 'add', 'ada', '--json'))
    expect(JSON.parse(Buffer.from(after.token.split('.')[0], 'base64url').toString()).kid).toBe(kid)
    await expect.poll(async () => (await me(hub.url, after.token)).status, { interval: 100 }).toBe(200)
    expect((await me(hub.url, before.token)).status).toBe(200)
    const { keys } = object(await onUrl('signing-key', 'list', '--json'))
    expect(keys.map((key: { kid: string; retired_at: string | null }) => [key.kid, key.retired_at])).toEqual([
      [kid, null],
      [expect.any(String), expect.any(String)],
    ])
    expect(await onUrl('signing-key', 'withdraw', kid)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('rotate first'),
    })
    const withdrawn = object(await onUrl('signing-key', 'withdraw', keys[1].kid, '--json'))
    expect(withdrawn).toEqual({ ...keys[1], withdrawn_at: expect.any(String) })
  })

  it('registers devices', async () => {
    const made = object(await onUrl('device', 'add', 'acme', 'bench', '--robot', 'acme/arm', '--json'))
    expect(made).toEqual({ id: expect.stringMatching(/^dev_/), owner: 'acme', name: 'bench', robot_repo: 'acme/arm' })
    expect(await onUrl('device', 'add', 'acme', 'bench')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has a device bench already'),
    })
  })

  it('is a process that ends with its exit code and writes to its own streams', async () => {
    const added = object(await spawned(['user', 'add', 'dora', '--json'], external()))
    expect(added).toMatchObject({ handle: 'dora' })
    const refused = await spawned(['user', 'add', 'dora', '--json'], external())
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\{"error":[^\n]*dora is taken[^\n]*\n$/),
    })
    expect((await spawned(['key'], external())).code).toBe(2)
  })

  it('prints text by default', async () => {
    const said = await onUrl('user', 'add', 'carol')
    expect([said.code, said.stdout]).toEqual([
      0,
      expect.stringMatching(/^id +user_.*\nkind +user\nhandle +carol\ncreated_at +2/),
    ])
  })

  it('exits with 1 and one line on an error, and changes nothing', async () => {
    const count = () =>
      database.db.query<{ n: number }>({
        name: '',
        text: 'select (select count(*) from accounts) + (select count(*) from api_keys) + (select count(*) from audit_log) as n',
      })
    const before = await count()
    const refused: [string[], RegExp][] = [
      [['user', 'add', 'ada'], /ada is taken/],
      [['org', 'add', 'new-org', '--member', 'ada:owner', '--member', 'nobody'], /nobody/],
      [['key', 'add', 'ada', '--scope', 'read', '--repo', 'ada/nothing'], /ada\/nothing/],
      [['key', 'add', 'ada', '--scope', 'read', '--expires', '+200000-01-01T00:00:00Z'], /RFC 3339/],
      [['session', 'add', 'acme'], /acme/],
    ]
    const answers = await Promise.all(refused.map(([args]) => onUrl(...args, '--json')))
    for (const [at, [args, line]] of refused.entries()) {
      expect([args, answers[at]]).toEqual([args, { code: 1, stdout: '', stderr: expect.stringMatching(line) }])
      expect(answers[at]?.stderr).toMatch(/^\{"error":\{"type":"local\.failed",[^\n]+\}\n$/)
    }
    expect(await count()).toEqual(before)
  })

  it('exits with 2 and the usage on wrong usage', async () => {
    const wrong = [
      ['nonsense'],
      ['key', 'add', 'ada'],
      ['key', 'add', 'ada', '--scope', 'admin'],
      ['key', 'add', 'ada', '--scope', 'read', '--gpu-hours', '-1'],
      ['key', 'add', 'ada', '--scope', 'read', '--expires', 'tomorrow'],
      ['user'],
      [],
    ]
    const answers = await Promise.all(wrong.map((args) => onUrl(...args)))
    for (const [at, args] of wrong.entries()) {
      expect([args, answers[at]?.code]).toEqual([args, 2])
      expect([args, answers[at]?.stdout, answers[at]?.stderr]).toEqual([
        args,
        '',
        expect.stringMatching(/^hub: |Usage:/),
      ])
    }
  })

  it('prints help with --help and exits with 0', async () => {
    const asked = [[], ['org', 'add'], ['key', 'add'], ['doctor']]
    const answers = await Promise.all(asked.map((args) => onUrl(...args, '--help')))
    for (const [at, args] of asked.entries()) {
      expect([args, answers[at]?.code, answers[at]?.stderr]).toEqual([args, 0, ''])
      expect(answers[at]?.stdout).toMatch(/^Usage: hub/)
      expect(answers[at]?.stdout).toContain('$ npm run --silent hub -- ')
    }
    for (const command of ['user', 'org', 'key', 'session', 'migrate', 'doctor', 'push', 'pull'])
      expect(answers[0]?.stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'))
  })

  it('shows a default as one would write it', async () => {
    const { code, stdout } = await onUrl('policy-server', '--help')
    expect([code, stdout]).toEqual([0, expect.stringContaining('127.0.0.1:8000)')])
  })

  it('names invalid settings without printing their values', async () => {
    const open = await run(['migrate'], { DATABASE_URL: database.url })
    expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('HUB_SECRET')])
    const down = await run(['user', 'add', 'erin'], {
      DATABASE_URL: 'postgresql://hub:swordfish@127.0.0.1:9/hub',
      HUB_SECRET: secret,
    })
    expect([down.code, down.stderr]).toEqual([1, expect.stringContaining('127.0.0.1:9/hub')])
    expect(down.stderr).not.toContain('swordfish')
    const other = await run(['session', 'add', 'ada'], { DATABASE_URL: database.url, HUB_SECRET: 'x'.repeat(32) })
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('HUB_SECRET')])
  })
})

describe('hub doctor and hub migrate', () => {
  it('succeed on a migrated database', async () => {
    const report = object(await onUrl('doctor', '--json'))
    expect(report).toMatchObject({
      ok: true,
      database: { kind: 'external', reachable: true, pending_migrations: [], fault: null },
      object_store: { kind: 'disk', fault: null },
      sign_in: { configured: false },
      hosted: { configured: false, fault: null },
    })
    const { current, migrations } = object(await onUrl('migrate', '--json'))
    expect(current).toBe(true)
    expect(migrations.length).toBeGreaterThan(0)
  })

  it('report pending migrations with exit code 1 and leave them to migrate', async () => {
    const name = `${new URL(database.url).pathname.slice(1)}_empty`
    await database.db.query({ name: '', text: `create database ${name}` })
    try {
      const settings = { DATABASE_URL: databaseUrl(database.url, name), HUB_SECRET: secret }
      const pending = await run(['doctor', '--json'], settings)
      expect([pending.code, pending.stderr]).toEqual([1, ''])
      const { ok, database: found } = JSON.parse(pending.stdout)
      expect([ok, found.reachable, found.pending_migrations.length > 0]).toEqual([false, true, true])
      const again = await run(['doctor'], settings)
      expect([again.code, again.stdout]).toEqual([1, expect.stringContaining(found.pending_migrations[0])])
      object(await run(['migrate', '--json'], settings))
      expect(object(await run(['doctor', '--json'], settings)).database.pending_migrations).toEqual([])
    } finally {
      await database.db.query({ name: '', text: `drop database if exists ${name} with (force)` })
    }
  })

  it('report what does not respond, with exit code 1', async () => {
    const settings = {
      DATABASE_URL: 'postgresql://hub:swordfish@127.0.0.1:9/hub',
      HUB_SECRET: secret,
      OBJECT_STORE: 's3',
      S3_BUCKET: 'b',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'tunafish',
      S3_ENDPOINT: 'http://127.0.0.1:9',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'hub',
      HOSTED_APP_NAME: 'coach',
    }
    const report = await run(['doctor', '--json'], settings)
    expect(report.code).toBe(1)
    expect(JSON.parse(report.stdout)).toMatchObject({
      ok: false,
      database: { reachable: false, fault: expect.any(String) },
      object_store: { kind: 's3', fault: expect.stringMatching(/S3|answer/) },
      sign_in: { configured: true, browser: true, reachable: false },
      hosted: { configured: true, fault: 'HOSTED_COMMAND is not set.' },
    })
    expect(`${report.stdout}${report.stderr}`).not.toMatch(/swordfish|tunafish/)
  })
})

describe('hub on the embedded database', () => {
  it('works during and after a server run, but creates no hub', async () => {
    const before = await run(['user', 'add', 'ada', '--json'], {})
    expect([before.code, before.stderr]).toEqual([1, expect.stringContaining('No hub in')])
    const embedded = await startHub(readConfig({ HUB_DATA_DIR: dataDir, PORT: '0' }), log)
    try {
      object(await run(['user', 'add', 'ada', '--json'], {}))
      const session = object(await run(['session', 'add', 'ada', '--json'], {}))
      expect((await me(embedded.url, session.token)).json.account.handle).toBe('ada')
      expect(object(await run(['doctor', '--json'], {}))).toMatchObject({
        ok: true,
        database: { kind: 'embedded', reachable: true },
      })
    } finally {
      await embedded.stop()
    }
    expect(object(await run(['key', 'add', 'ada', '--scope', 'read', '--json'], {})).token).toMatch(/^hub_key_/)
  })
})
