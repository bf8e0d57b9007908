import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerApprovalCommands } from '../../packages/cli/src/approval-commands.ts'
import { registerDeviceCommands } from '../../packages/cli/src/device-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Person } from '../support/hub.ts'
import { sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
const world = sessionWorld(hub)
let base: string
let ada: Person
let endpoint: string
let device: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-approvals-'))
  ada = await hub.person()
  endpoint = await world.endpoint(ada)
  device = await world.device(ada, { name: 'bench arm' })
})
afterAll(() => rm(base, { recursive: true, force: true }))

type Register = Parameters<typeof runCommandLine>[0]
const as = (token: string, register: Register, ...args: string[]) =>
  runCommandLine(register, args, { HUB_URL: hub.running.url, HUB_TOKEN: token, HOME: base })
const approvals = (token: string, ...args: string[]) => as(token, registerApprovalCommands, ...args)

it('a person approves, the driver of the robot opens a session, and the person ends both', async () => {
  const driver = await hub.key(ada)
  const approved = await approvals(ada.token, 'approve', endpoint, device, '--for', '2h', '--json')
  expect([approved.code, approved.err]).toEqual([0, ''])
  const { id, token, expires_at, status } = JSON.parse(approved.out)
  expect([status, Date.parse(expires_at) / 1000]).toEqual(['issued', decodeJwt(token).exp])
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(7_190_000)

  const file = join(base, 'approval')
  await writeFile(file, `${token}\n`)
  const opened = await approvals(driver, 'open-session', endpoint, device, '--approval-token-file', file, '--json')
  expect([opened.code, opened.err]).toEqual([0, ''])
  const { session, url, session_token } = JSON.parse(opened.out)
  expect([url, decodeJwt(session_token).jti]).toEqual(['wss://robot.example/policy', session.id])

  const revoked = await approvals(ada.token, 'revoke', id)
  expect([revoked.code, revoked.out]).toEqual([0, expect.stringMatching(/^status +revoked$/m)])
  expect((await world.row('endpoint_sessions', session.id)).status).toBe('closed')
  const again = await approvals(driver, 'open-session', endpoint, device, '--approval-token-file', file)
  expect([again.code, again.out, again.err]).toEqual([3, '', expect.stringContaining('approval token')])
  expect(again.err).not.toContain(token)
})

it('says what is wrong: a key that approves, a time that is none, a file without a token', async () => {
  const key = await hub.key(ada, { scope: 'train' })
  expect(await approvals(key, 'approve', endpoint, device, '--for', '1h')).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringContaining("a person's session"),
  })
  for (const time of ['2', '0h', '1.5h', '-1h', '2 h'])
    expect((await approvals(ada.token, 'approve', endpoint, device, `--for=${time}`)).code).toBe(2)
  expect((await approvals(ada.token, 'approve', endpoint, device, '--for', '91d')).code).toBe(5)
  const empty = join(base, 'empty')
  await writeFile(empty, '\n')
  for (const file of [empty, join(base, 'none')])
    expect((await approvals(key, 'open-session', endpoint, device, '--approval-token-file', file)).code).toBe(1)
})

it('a person registers a device, for themselves or an org, which a key cannot', async () => {
  const org = await hub.org([{ user: ada.handle, role: 'owner' }])
  const robot = await hub.repo(ada, { kind: 'robot' })
  const made = await as(ada.token, registerDeviceCommands, 'device', 'create', 'arm 1', '--robot', robot, '--json')
  expect([made.code, made.err]).toEqual([0, ''])
  const one = JSON.parse(made.out)
  expect(one).toMatchObject({ name: 'arm 1', owner: { handle: ada.handle }, robot_repo_name: robot })
  const again = await as(ada.token, registerDeviceCommands, 'device', 'create', 'arm 1')
  expect([again.code, again.out]).toEqual([5, ''])
  const ofOrg = await as(ada.token, registerDeviceCommands, 'device', 'create', 'arm 1', '--owner', org)
  expect([ofOrg.code, ofOrg.out]).toEqual([0, expect.stringMatching(new RegExp(`^owner +${org}$`, 'm'))])
  const key = await as(await hub.key(ada), registerDeviceCommands, 'device', 'create', 'arm 2')
  expect([key.code, key.out, key.err]).toEqual([3, '', expect.stringContaining('/sessions')])
})

it('lists devices, newest first', async () => {
  const key = await hub.key(ada, { scope: 'read' })
  const second = await world.device(ada)
  const listed = await as(key, registerDeviceCommands, 'device', 'list', '--json')
  expect(JSON.parse(listed.out).devices.map(({ id }: { id: string }) => id)).toSatisfy(
    (ids: string[]) => ids[0] === second && ids.at(-1) === device,
  )
  const lines = (await as(key, registerDeviceCommands, 'device', 'list', '--owner', ada.handle)).out.split('\n')
  expect(lines.at(-2)).toBe(`${device}  ${ada.handle}  bench arm`)
})
