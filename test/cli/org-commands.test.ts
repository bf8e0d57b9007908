/** `hub org` by an owner, in a session and by a key. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerOrgCommands } from '../../packages/cli/src/org-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let home: string
let ada: Person

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hub-org-'))
  ada = await hub.person()
})
afterAll(() => rm(home, { recursive: true, force: true }))

const runAs = (token: string, ...args: string[]) =>
  runCommandLine(registerOrgCommands, args, { HUB_URL: hub.running.url, HUB_TOKEN: token, HOME: home })
const run = (...args: string[]) => runAs(ada.token, 'org', ...args)
const json = async (...args: string[]): Promise<Json> => JSON.parse((await run(...args, '--json')).out)

describe('hub org', () => {
  it('makes an org, adds a user, changes their role, and removes them, but not the last owner', async () => {
    const org = newName('org')
    const bob = await hub.person()
    expect(await json('create', org, '--name', 'Walnut')).toMatchObject({ handle: org, name: 'Walnut' })
    expect((await run('role', org, bob.handle, 'owner')).out).toBe(`owner   ${bob.handle}\n`)
    expect(await json('role', org, bob.handle, 'member')).toEqual({ org, handle: bob.handle, role: 'member' })
    expect((await run('remove', org, ada.handle)).err).toContain('would be left without an owner')
    expect((await run('remove', org, bob.handle)).out).toBe(`removed ${bob.handle} from ${org}\n`)
    expect((await json('members', org)).members).toEqual([{ handle: ada.handle, role: 'owner' }])
  })

  it('invites with a link of this hub, lists what waits, and ends it', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const made = await json('invite', org, '--role', 'owner')
    expect(made.url).toMatch(new RegExp(`^${hub.running.url}/redeem#.{20,}$`))
    expect((await json('invitations', org)).invitations).toEqual([
      expect.objectContaining({ id: made.id, role: 'owner', expires_at: made.expires_at }),
    ])
    expect((await run('withdraw', made.id)).out).toBe(`withdrawn ${made.id}\n`)
    expect((await run('invitations', org)).out).toBe('0 invitations\n')
  })

  it('tells a key where a person does it, and a person who is no owner only that they are not', async () => {
    const bob = await hub.person()
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const byKey = await runAs(await hub.key(ada, { scope: 'train' }), 'org', 'remove', org, bob.handle)
    expect([byKey.code, byKey.err]).toEqual([3, expect.stringContaining(`Do it on ${hub.running.url}/settings/orgs`)])
    const byMember = await runAs(bob.token, 'org', 'role', org, bob.handle, 'owner')
    expect([byMember.code, byMember.err]).toEqual([3, expect.not.stringContaining('Do it on')])
  })
})
