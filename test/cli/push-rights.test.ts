/** Commands that change a repo say that they may not, also where there is nothing to change. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, pushFolder } from '@hub/client/internal'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silent } from '../../packages/client/src/progress.ts'
import { runHub } from '../support/command-line.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'
import { noPython, runPython } from '../support/python.ts'

const hub = contractHub()
let base: string
let dir: string
let ada: Person
let eve: Person
/** A public robot of ada, equal to the folder. */
let robot: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-rights-'))
  dir = join(base, 'robot')
  await mkdir(dir)
  await writeFile(join(dir, 'scene.xml'), '<mujoco><worldbody/></mujoco>')
  ada = await hub.person()
  eve = await hub.person()
  robot = `${ada.handle}/${newName()}`
  expect(await run(ada.token, 'push', dir, robot, '--kind', 'robot', '--public')).toMatchObject({ code: 0 })
})
afterAll(() => rm(base, { recursive: true, force: true }))

const run = (token: string, ...args: string[]) =>
  runHub(args, { HOME: base, HUB_URL: hub.running.url, HUB_TOKEN: token }, { cwd: base })
const updatedAt = async () => (await hub.call(ada, 'GET', `/v1/repos/${robot}`)).json.updated_at

describe('a repo that already has everything', () => {
  it('is not pushed to by someone of another account', async () => {
    const refused = await run(eve.token, 'push', dir, robot)
    expect([refused.code, refused.out]).toEqual([3, ''])
    expect(refused.err).toContain(`${robot} belongs to an account that you are not a member of`)
  })

  it('is not pushed to with a key that may only read, or that is limited to other repos', async () => {
    const read = await run(await hub.key(ada, { scope: 'read' }), 'push', dir, robot)
    expect([read.code, read.err]).toEqual([3, expect.stringContaining('key:write')])
    const other = await hub.repo(ada)
    const limited = await run(await hub.key(ada, { scope: 'write', repos: [other] }), 'push', dir, robot)
    expect([limited.code, limited.err]).toEqual([3, expect.stringContaining('limited to other repos')])
  })

  it('is not changed by a push of whoever may write it, nor is the time of its last change', async () => {
    const before = await updatedAt()
    expect(await run(ada.token, 'push', dir, robot)).toMatchObject({ code: 0 })
    const key = await hub.key(ada, { scope: 'write', agent: true })
    expect(await run(key, 'push', dir, robot)).toMatchObject({ code: 0 })
    expect(await updatedAt()).toBe(before)
  })

  it('can be looked at with a dry run by whoever may read it', async () => {
    expect(await run(eve.token, 'push', dir, robot, '--dry-run')).toMatchObject({ code: 0 })
  })

  it('is not restored, checked from a folder, or emptied of files that it does not have, by someone else', async () => {
    const check = ['check', dir, 'scene.xml', '--robot', robot, '--control-hz', '50', '--action', 'position']
    expect((await run(eve.token, ...check, '--no-wait')).code).toBe(3)
    expect((await run(eve.token, 'restore', robot, '--at', '1')).code).toBe(3)
    expect((await run(eve.token, 'push', dir, robot, '--delete')).code).toBe(3)
    expect((await run(eve.token, 'rm', robot, 'no-such-file', '--yes')).code).not.toBe(0)
  })

  it('is not uploaded to from Python either', needs(noPython), async () => {
    const program = `import hub\ntry:\n    hub.upload_folder("${robot}", "${dir}")\nexcept hub.HubError as error:\n    print(error.type, error.status)\n`
    await writeFile(join(base, 'upload.py'), program)
    const env = { HUB_URL: hub.running.url, HUB_TOKEN: eve.token, HUB_STATE_DIR: join(base, 'state') }
    const ended = await runPython([join(base, 'upload.py')], { cwd: base, env })
    expect([ended.out, ended.err]).toEqual(['forbidden.scope 403\n', ''])
  })
})

describe('a repo that may not be written', () => {
  it('is refused before a file of the folder is hashed', async () => {
    const changed = join(base, 'changed')
    await mkdir(changed)
    await writeFile(join(changed, 'scene.xml'), '<mujoco/>')
    const phases: string[] = []
    const progress = { ...silent, begin: (phase: string) => phases.push(phase) }
    const client = createHubClient({ url: hub.running.url, token: eve.token })
    const [owner = '', slug = ''] = robot.split('/')
    const push = pushFolder(client, { owner, slug }, changed, { cacheDir: join(base, 'cache'), progress })
    await expect(push).rejects.toMatchObject({ status: 403 })
    expect(phases).toEqual([])
  })
})
