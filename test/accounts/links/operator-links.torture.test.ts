// @module-tag processes
/** Contract, "Links that work once": those that the operator gets, from a first start and from the command line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runHub } from '../../support/command-line.ts'
import { testDb } from '../../support/database.ts'
import { freePort } from '../../support/free-port.ts'
import { PASSWORD } from '../../support/passwords.ts'

const database = testDb()
const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))
const OPERATOR = 'the-operator'
let dataDir: string
let running: ChildProcess | undefined
let printed = ''
let port = 0
let url = ''

const settings = () => ({
  HOME: dataDir,
  HUB_DATA_DIR: dataDir,
  DATABASE_URL: database.url,
  HUB_SECRET: 'a secret of more than thirty-two characters',
  PASSWORD_COST: '14',
  PUBLIC_URL: 'http://hub.example',
  OPERATOR_HANDLE: OPERATOR,
})

async function start(): Promise<void> {
  printed = ''
  const env = {
    ...settings(),
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PORT: String(port),
  }
  running = spawn(process.execPath, [program], { env, cwd: dataDir })
  for (const stream of [running.stdout, running.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  await vi.waitFor(() => expect(printed).toContain('    data '), 100_000)
}

async function stop(): Promise<void> {
  if (!running || running.exitCode !== null) return
  running.kill('SIGTERM')
  await once(running, 'exit')
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hub-links-'))
  port = await freePort()
  url = `http://127.0.0.1:${port}`
  await start()
})
afterAll(async () => {
  await stop()
  await rm(dataDir, { recursive: true, force: true })
})

const tokenIn = (text: string) => /\/redeem#([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? ''

async function post(path: string, body: object) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://hub.example' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}
const redeem = (token: string, more: object = {}) => post('/auth/link', { token, password: PASSWORD, ...more })

const onHub = async (...args: string[]) => {
  const { code, out, err } = await runHub(args, settings())
  return { code, out, err }
}

describe('a first start', () => {
  it('prints a setup link for the operator once, in no line of the log, and it sets a password', async () => {
    const token = tokenIn(printed)
    expect(printed).toContain(`http://hub.example/redeem#${token}`)
    const logged = printed.split('\n').filter((line) => line.startsWith('{'))
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.filter((line) => line.includes(token))).toEqual([])
    expect((await redeem(token)).status).toBe(204)
    expect((await post('/auth/password', { handle: OPERATOR, password: PASSWORD })).status).toBe(204)
    expect((await redeem(token)).status).toBe(401)
    await stop()
    await start()
    expect(printed).not.toContain('/redeem#')
  })
})

describe('the command line', () => {
  it('prints an invitation into an org, with its role', async () => {
    await onHub('org', 'add', 'acme')
    const made = await onHub('user', 'invite', '--org', 'acme', '--role', 'owner', '--json')
    expect([made.code, made.err]).toEqual([0, ''])
    const { url: link, expires_at: expiresAt } = JSON.parse(made.out)
    expect(link).toMatch(/^http:\/\/hub\.example\/redeem#/)
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000
    expect([days > 6.9, days <= 7]).toEqual([true, true])
    expect((await redeem(tokenIn(link), { handle: 'ada' })).status).toBe(204)
    const roles = await database.db.query({
      name: '',
      text: 'select a.handle, m.role from memberships m join accounts a on a.id = m.user_id',
    })
    expect(roles).toEqual([{ handle: 'ada', role: 'owner' }])
  })

  it('prints a link that sets a new password and ends all sessions', async () => {
    const session = JSON.parse((await onHub('session', 'add', 'ada', '--json')).out)
    const me = () => fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${session.token}` } })
    expect((await me()).status).toBe(200)
    const made = await onHub('user', 'reset', 'ada')
    expect((await redeem(tokenIn(made.out), { password: `${PASSWORD}!` })).status).toBe(204)
    expect((await me()).status).toBe(401)
    expect((await post('/auth/password', { handle: 'ada', password: PASSWORD })).status).toBe(401)
  })

  it('names what is not there', async () => {
    for (const args of [
      ['reset', 'nobody'],
      ['invite', '--org', 'nobody'],
    ]) {
      const { code, out, err } = await onHub('user', ...args)
      expect([code, out]).toEqual([1, ''])
      expect(err).toContain('nobody')
    }
  })

  it('prints none where passwords are off', async () => {
    const { code, err } = await runHub(['user', 'reset', 'ada'], { ...settings(), LOCAL_SIGN_IN: 'no' })
    expect([code, err]).toEqual([1, expect.stringContaining('LOCAL_SIGN_IN=no')])
  })
})
