import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { madeDataset } from '../../packages/dataset/test/support/made-dataset.ts'
import { madeMcap } from '../../packages/dataset/test/support/made-mcap.ts'
import { rolloutsOf } from '../rollouts/support.ts'
import { runHub } from '../support/command-line.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let home: string
let ada: Person

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hub-repo-'))
  ada = await hub.person()
})
afterAll(() => rm(home, { recursive: true, force: true }))

const env = () => ({ HOME: home, HUB_URL: hub.running.url, HUB_TOKEN: ada.token })
const run = (...args: string[]) => runHub(args, env(), { cwd: home })
const json = async (...args: string[]): Promise<Json> => JSON.parse((await run(...args, '--json')).out)
const typing = (stdin: string, ...args: string[]) => runHub(args, env(), { stdin, isTTY: true, cwd: home })
const fresh = () => `${ada.handle}/${newName()}`

describe('hub repo', () => {
  it('creates, shows, changes and deletes a repo', async () => {
    const name = fresh()
    expect(
      await json('repo', 'create', name, '--kind', 'robot', '--description', 'an arm', '--tag', 'so100'),
    ).toMatchObject({ full_name: name, visibility: 'private', description: 'an arm', tags: ['so100'] })
    const { out } = await run('repo', 'view', name)
    expect(out).toMatch(/description +an arm\n/)
    expect(out).toContain(`${hub.running.url}/${name}\n`)
    expect(
      await json('repo', 'edit', name, '--visibility', 'public', '--description', '', '--clear-tags'),
    ).toMatchObject({
      visibility: 'public',
      description: null,
      tags: [],
    })
    expect((await run('repo', 'edit', name)).code).toBe(2)
    expect((await run('repo', 'create', name, '--kind', 'robot')).code).toBe(5)
    expect(await json('repo', 'delete', name, '--yes')).toEqual({ full_name: name, deleted: true })
    expect((await run('repo', 'view', name)).code).toBe(4)
  })

  it('shows what a repo comes from and what uses it, as far as the caller sees it', async () => {
    const eve = await hub.person()
    const [data, model] = [await hub.repo(eve, { visibility: 'public' }), await hub.repo(eve, { kind: 'model' })]
    const view = (name: string, who = eve) => runHub(['repo', 'view', name], { ...env(), HUB_TOKEN: who.token })
    const train = await hub.key(eve, { scope: 'train' })
    const recipe = { template: 'act', dataset: [`svc://${data}`] }
    const first = (await hub.call(train, 'POST', '/v1/runs/start', { recipe, worker: 'w' })).json.id
    const report = { output_model_repo: model, status: 'succeeded' }
    expect((await hub.call(train, 'POST', `/v1/runs/${first}/report`, report)).status).toBe(200)
    expect((await hub.call(train, 'POST', '/v1/runs', { recipe, parent_run_id: first })).status).toBe(201)
    const [ofData, ofModel] = [(await view(data)).out, (await view(model)).out]
    expect([ofData, ofModel]).toEqual([
      expect.stringMatching(/^used by +2 runs$/m),
      expect.stringMatching(/^produced by +1 run\nused by +1 run$/m),
    ])
    expect(ofData).not.toContain('produced by')
    const other = await view(data, ada)
    expect([other.code, other.out.includes('used by')]).toEqual([0, false])
  })

  it('shows license and tags of its card, finds repos by them, and counts the repos that name it', async () => {
    const eve = await hub.person()
    const data = await hub.repo(eve, { tags: ['own'] })
    const tag = newName('tag')
    const card = (yaml: string) => ({ 'README.md': `---\n${yaml}\n---\n` })
    await hub.upload(eve, data, card(`license: cc-by-4.0\ntags: [${tag}, own]`))
    const model = await hub.repo(eve, { kind: 'model' })
    const others = Array.from({ length: 6 }, (_, at) => `else/data-${at}`)
    await hub.upload(eve, model, card(`datasets: [${[data.toUpperCase(), ...others].join(', ')}]\nbase_model: lab/Act`))
    const ask = async (...args: string[]) => (await runHub(args, { ...env(), HUB_TOKEN: eve.token })).out
    const view = await ask('repo', 'view', data)
    expect(view).toMatch(new RegExp(`^tags +own.+${tag}$`, 'm'))
    expect(view).toMatch(/^license +cc-by-4\.0$/m)
    expect(view).toMatch(/^used by +1 repo$/m)
    const made = await ask('repo', 'view', model)
    const named = [data, ...others.slice(0, 4).map((name) => `${name} \\(not here\\)`), '2 more'].join(', ')
    expect(made).toMatch(new RegExp(`^datasets +${named}$`, 'm'))
    expect(made).toMatch(/^base models +lab\/Act \(not here\)$/m)
    expect(view).not.toMatch(/^(?:datasets|base models)/m)
    for (const found of [
      await ask('repos', '--license', 'CC-BY-4.0', '--tag', tag),
      await ask('search', tag, '--license', 'cc-by-4.0'),
    ])
      expect([found.includes(data), found.endsWith('1 repo\n')]).toEqual([true, true])
    expect(await ask('repos', '--license', 'mit', '--owner', eve.handle)).toBe('0 repos\n')
  })

  it('deletes after the name was typed, and nothing after another one or without a terminal', async () => {
    const name = fresh()
    await run('repo', 'create', name, '--kind', 'model')
    expect((await run('repo', 'delete', name)).code).toBe(2)
    expect((await typing('y\n', 'repo', 'delete', name)).code).toBe(2)
    expect((await run('repo', 'view', name)).code).toBe(0)
    const typed = await typing(`${name}\n`, 'repo', 'delete', name)
    expect([typed.code, typed.out]).toEqual([0, `deleted ${name}\n`])
    expect(typed.err).toContain(`This deletes ${name} and its 0 files`)
  })
})

describe('hub rm', () => {
  it('deletes files by path and glob, and asks first', async () => {
    const name = await hub.repo(ada)
    await hub.upload(ada, name, { 'a.txt': '1', 'b/c.stl': '2', 'b/d.stl': '3', 'b/.e': '4', '[x].txt': '5' })
    expect(await json('rm', name, 'b/*.stl', '--dry-run')).toEqual({
      repo: name,
      dry_run: true,
      deleted: ['b/c.stl', 'b/d.stl'],
      missing: [],
    })
    expect((await run('rm', name, 'a.txt')).code).toBe(2)
    expect((await typing('n\n', 'rm', name, 'a.txt')).code).toBe(2)
    expect((await typing('y\n', 'rm', name, 'a.txt')).out).toBe('deleted  a.txt\n')
    expect(await json('rm', name, 'b/**', '[x].txt', '--yes')).toMatchObject({
      deleted: ['b/.e', 'b/c.stl', 'b/d.stl', '[x].txt'],
    })
    const none = await run('rm', name, 'gone', '--yes')
    expect([none.code, none.err]).toEqual([4, `hub: ${name} has no file gone\n`])
    expect((await json('ls', name)).files).toEqual([])
  })
})

describe('hub search', () => {
  it('finds repos by text', async () => {
    const word = newName('word')
    const name = `${ada.handle}/${word}`
    await run('repo', 'create', name, '--kind', 'dataset', '--description', 'first\nsecond')
    expect((await run('search', word)).out).toMatch(new RegExp(`^dataset +${name} +first\\n1 repo\\n$`))
    expect((await json('search', word, '--kind', 'robot')).repos).toEqual([])
  })
})

describe('hub open', () => {
  it('prints the address of a page, opens it with --browser, and says where there is no browser', async () => {
    const address = `${hub.running.url}/ada/arm`
    expect(await run('open', 'ada/arm')).toMatchObject({ code: 0, out: `${address}\n`, err: '' })
    const opened = join(home, 'opened')
    await writeFile(
      join(home, 'browser'),
      `#!/bin/sh\nprintf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
      { mode: 0o755 },
    )
    const browser = { ...env(), BROWSER: join(home, 'browser') }
    const shown = await runHub(['open', 'ada/arm', '--browser', '--json'], browser)
    expect(JSON.parse(shown.out)).toEqual({ url: address, opened: true })
    await vi.waitFor(async () => expect(await readFile(opened, 'utf8')).toBe(address), { timeout: 100_000 })
    const none = await runHub(['open', '--browser'], { ...env(), BROWSER: join(home, 'none') })
    expect([none.code, none.out, none.err]).toEqual([
      0,
      `${hub.running.url}/\n`,
      'No browser could be started here: open the address yourself.\n',
    ])
    const nowhere = await run('open', 'nowhere')
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('settings or developers.')])
    for (const [page, path] of [
      ['runs', '/runs'],
      ['orgs', '/settings/orgs'],
      ['@ada', '/@ada'],
    ] as const)
      expect((await run('open', page)).out).toBe(`${hub.running.url}${path}\n`)
  })
})

describe('hub key and hub org', () => {
  it('create, list and revoke keys in a session, and say that a key may not', async () => {
    const made = await json('key', 'create', '--scope', 'read', '--name', 'dash', '--days', '2')
    expect(made).toMatchObject({
      scope: 'read',
      name: 'dash',
      token: expect.stringMatching(/^hub_key_/),
      revoked_at: null,
    })
    expect((await json('key', 'list')).keys.map(({ id }: Json) => id)).toEqual([made.id])
    const refused = await runHub(['key', 'list'], { ...env(), HUB_TOKEN: made.token })
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining(`Do it on ${hub.running.url}/settings/keys, or set HUB_TOKEN`),
    ])
    expect((await json('key', 'revoke', made.id)).revoked_at).not.toBeNull()
    expect((await run('key', 'list')).out).toBe('0 keys\n')
    expect((await json('key', 'list', '--all')).keys).toHaveLength(1)
    expect((await run('key', 'list', '--all')).out).not.toContain('hub_key_')
  })

  it('list the orgs of the caller and their members', async () => {
    const bob = await hub.person()
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    expect((await json('org', 'list')).orgs.map(({ handle }: Json) => handle)).toContain(org)
    expect((await json('org', 'members', org)).members).toEqual([
      { handle: ada.handle, role: 'owner' },
      { handle: bob.handle, role: 'member' },
    ])
    expect((await run('org', 'members', 'not-mine')).code).toBe(4)
  })
})

describe('hub card', () => {
  it('is drafted from a model, checked, stored and read back', async () => {
    const model = `<mujoco model="arm"><worldbody><body name="b"><joint name="j1"/><joint name="j2" type="slide"/>
      <geom size="1" mass="1"/></body></worldbody><actuator><motor name="m1" joint="j1"/></actuator></mujoco>`
    await writeFile(join(home, 'arm.xml'), model)
    const name = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, name, { 'arm.xml': model })
    expect((await run('card', 'init', '.', 'arm.xml', '-o', 'card.json')).code).toBe(0)
    expect(JSON.parse(await readFile(join(home, 'card.json'), 'utf8'))).toEqual({
      dof: 2,
      actuators: [{ name: 'm1' }],
      mjcf_path: 'arm.xml',
      description_md: null,
      interface: null,
    })
    expect((await run('card', 'init', '.', 'arm.xml', '-o', 'card.json')).err).toContain('exists already')
    const report = await run('card', 'validate', name, 'card.json')
    expect([report.code, report.out]).toEqual([0, expect.stringContaining('The card can be stored')])
    expect((await run('card', 'get', name)).code).toBe(4)
    expect((await run('card', 'put', name, 'card.json')).code).toBe(0)
    expect(JSON.parse((await run('card', 'get', name)).out)).toMatchObject({ dof: 2, mjcf_path: 'arm.xml' })
    await writeFile(join(home, 'bad.json'), '{"dof": 2, "mjcf_path": "none.xml"}')
    expect((await run('card', 'validate', name, 'bad.json')).code).toBe(6)
    expect((await run('card', 'put', name, 'bad.json')).code).toBe(5)
    expect((await run('card', 'put', name, 'arm.xml')).err).toContain('is not a card')
  })
})

const hingeAndSlide = `<mujoco><worldbody><body><joint name="elbow"/><geom size="1"/>
  <body><joint name="gripper" type="slide"/><geom size="1"/></body></body></worldbody></mujoco>`

it('data check tells what is wrong with a folder, and reads a repo and the limits of a robot', async () => {
  const robot = await hub.repo(ada, { kind: 'robot' })
  const card = { dof: 1, limits: { elbow: { lower: -0.5, upper: 0.5 } } }
  expect((await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
  const name = await hub.repo(ada)
  const right = Object.fromEntries([...madeDataset(3)].map(([path, bytes]) => [path, Buffer.from(bytes)]))
  await hub.upload(ada, name, right)
  const good = await run('data', 'check', name)
  expect([good.code, good.out]).toEqual([
    0,
    expect.stringMatching(/3 episodes, 130 frames(?:.|\n)*Nothing is wrong with it/),
  ])
  const limited = await json('data', 'check', name, '--robot', robot)
  const elbow = { code: 'joint_limit', place: 'observation.state.elbow' }
  expect(limited.findings.map(({ episode }: Json) => episode)).toEqual([0, 1, 2])
  for (const finding of limited.findings) expect(finding).toMatchObject(elbow)
  const unknown = await run('data', 'check', name, '--robot', robot, '--degrees')
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('names no model file')])
  await hub.upload(ada, robot, { 'arm.xml': hingeAndSlide })
  const both = { elbow: { lower: -0.5, upper: 0.5 }, gripper: { lower: -1, upper: 1 } }
  const named = { dof: 2, mjcf_path: 'arm.xml', limits: both }
  expect((await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, named)).status).toBe(200)
  const turned = await json('data', 'check', name, '--robot', robot, '--degrees')
  expect(new Set(turned.findings.map(({ place }: Json) => place))).toEqual(new Set(['observation.state.gripper']))
  for (const [path, bytes] of Object.entries(right)) {
    await mkdir(dirname(join(home, 'wrong', path)), { recursive: true })
    if (!path.endsWith('.mp4')) await writeFile(join(home, 'wrong', path), bytes)
  }
  const wrong = await run('data', 'check', 'wrong')
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('✗ missing_video: episode 2, videos/')])
  await mkdir(join(home, 'recorded'))
  const topic = { name: '/joint_states', schema: 'sensor_msgs/JointState', encoding: 'json' } as const
  const messages = [0, 1, 2].map((at) => [at, { name: ['elbow'], position: [at] }] as const)
  await writeFile(join(home, 'recorded/0.mcap'), await madeMcap([{ ...topic, messages }]))
  expect((await run('data', 'check', 'recorded')).out).toMatch(
    /MCAP, 1 episode, 3 frames at 1 a second\nNothing is wrong/,
  )
  expect((await run('data', 'check', 'nowhere')).err).toContain('nowhere is neither a folder nor a repo')
})

it('data select writes the episodes of a selection into a new folder, of the files that it is of', async () => {
  const name = await hub.repo(ada)
  const files = [...madeDataset(3)].map(([path, bytes]) => [path, Buffer.from(bytes)] as const)
  await hub.upload(ada, name, Object.fromEntries(files))
  expect((await run('data', 'select', name, '--name', 'clean', '--drop', '1')).code).toBe(0)
  await hub.upload(ada, name, { 'data/chunk-000/file-001.parquet': Buffer.from('another') })
  const made = await json('data', 'select', `${name}#clean`, '--into', 'sets/clean')
  expect(made).toMatchObject({ repo: name, selection: 'clean', seq: 1, episodes: 2, frames: 70, videos: 2 })
  expect((await json('data', 'check', 'sets/clean')).findings).toEqual([])
  const said = JSON.parse(await readFile(join(home, 'sets/clean/meta/selected.json'), 'utf8'))
  expect(said).toMatchObject({ repo: name, selection: 'clean', seq: 1, episodes: [0, 2] })
  expect(await readdir(join(home, 'sets'))).toEqual(['clean'])
  const again = await run('data', 'select', `${name}#clean`, '--into', 'sets/clean')
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('sets/clean has files already')])
  const whole = await run('data', 'select', name, '--into', 'sets/other')
  expect([whole.code, whole.err]).toEqual([1, expect.stringContaining(`as ${name}#NAME`)])
  await hub.upload(ada, name, { 'data/chunk-000/file-001.parquet': Buffer.from('another') })
  await run('data', 'select', name, '--name', 'broken', '--keep', '2')
  const broken = await run('data', 'select', `${name}#broken`, '--into', 'sets/other')
  expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('file-001.parquet is not read')])
  expect(await readdir(join(home, 'sets'))).toEqual(['clean'])
})

it('map says what fits a robot, proposes a map, keeps one and notes its review', async () => {
  const [robot, model] = [await hub.repo(ada, { kind: 'robot' }), await hub.repo(ada, { kind: 'model' })]
  const action = { semantics: 'position', scale: 1 }
  const face = {
    version: 1,
    base: 'fixed',
    joint_order: ['elbow', 'wrist'],
    control_rate_hz: 50,
    actuation: [],
    action,
  }
  const card = { dof: 2, limits: { elbow: { lower: -1, upper: 2 } }, interface: face }
  const bare = await run('map', 'propose', robot, robot)
  expect([bare.code, bare.err]).toEqual([1, expect.stringContaining(`\`hub card put ${robot} FILE\` stores one`)])
  expect((await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
  const contract = { version: 1, joint_order: ['Elbow_joint'], control_rate_hz: 50 }
  await hub.upload(ada, model, { 'contract.json': JSON.stringify({ contract }) })
  const before = await run('map', 'fit', model, robot)
  expect([before.code, before.out]).toEqual([1, expect.stringContaining(`${model} on ${robot}: does not fit\n`)])
  expect(before.out).toContain('Nothing moves wrist. A map must hold it, or move it by another joint.')
  expect((await run('map', 'show', model, robot)).err).toContain('start with "hub map propose"')
  const proposal = await run('map', 'propose', model, robot)
  expect(proposal.out).toContain('Elbow_joint is taken for elbow, by its name.')
  await writeFile(join(home, 'map.json'), JSON.stringify(await json('map', 'propose', model, robot)))
  const kept = await run('map', 'put', model, robot, 'map.json')
  expect(kept.out).toMatch(
    /version 1, kept .*, not reviewed\nfingerprint [0-9a-f]{64}\n {2}elbow = Elbow_joint\n {2}wrist = 0, held\n/,
  )
  expect(await json('map', 'review', model, robot)).toMatchObject({ version: 1, reviewer: { handle: ada.handle } })
  expect(await json('map', 'fit', model, robot)).toMatchObject({ verdict: 'mapped' })
  const listed = await run('map', 'list', robot, '--kind', 'model')
  expect(listed.out).toMatch(new RegExp(`^${model} +fits with a map of joints, map version 1\\n1 repo\\n$`))
  expect((await run('map', 'list', model, '--near')).out).toBe('Nothing else has the same joints.\n')
  await writeFile(join(home, 'map.json'), '{"version": 1}')
  expect((await run('map', 'put', model, robot, 'map.json')).err).toContain('map.json is not a map: joints: ')
})

it('gate sets, lists and removes what the rollouts of a model must reach', async () => {
  const rollouts = rolloutsOf(hub)
  const [from, on] = [await rollouts.model(ada), await rollouts.robot(ada)]
  const { json: first } = await rollouts.publish(ada, from, on)
  const board = ['--robot', on.repo, '--task', 'swing-up']
  const set = await run('gate', 'set', from.repo, ...board, '--least', '0.8', '-n', '100')
  const line = `swing-up ${first.fingerprint.slice(0, 6)} on ${on.repo}: 100 seeds, interval from 80 %\n1 gate\n`
  expect([set.code, set.out]).toEqual([0, line])
  expect((await run('gate', 'list', from.repo)).out).toBe(line)
  const missing = await run('gate', 'remove', from.repo, '--robot', on.repo, '--task', 'walk')
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('there are: swing-up')])
  const unknown = (task: string) =>
    run('gate', 'set', from.repo, '--robot', on.repo, '--task', task, '--least', '0.8', '-n', '100')
  const short = first.fingerprint.slice(0, 6)
  expect(await unknown('Swing')).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      `no board of the task "Swing". Boards whose task contains this name: swing-up ${short} (1 result).`,
    ),
  })
  expect((await unknown('swign-up')).err).toContain(`Did you mean "swing-up"? Its boards: swing-up ${short}`)
  // A task under another disturbance is another board, so its name is not enough.
  const harder = await rollouts.publish(ada, from, on, { disturbance: { gravity: 2 } })
  const several = await run('gate', 'set', from.repo, ...board, '--least', '0.5', '-n', '4')
  expect([several.code, several.err]).toEqual([1, expect.stringContaining('Name one with --board')])
  const named = ['--board', harder.json.fingerprint.slice(0, 12), '--least', '0.5', '-n', '4']
  expect((await run('gate', 'set', from.repo, ...board, ...named)).out).toContain('2 gates\n')
  await run('gate', 'remove', from.repo, ...board, '--board', harder.json.fingerprint)
  expect((await run('gate', 'remove', from.repo, ...board)).out).toBe('0 gates\n')
  expect((await run('gate', 'set', from.repo, ...board, '--least', '80', '-n', '100')).code).toBe(2)
})

it('mv and cp rename and copy a file or folder as one change; repo move gives the repo another name', async () => {
  const name = await hub.repo(ada)
  await hub.upload(ada, name, { 'old/a.txt': 'a', 'old/deep/b.txt': 'b', 'c.txt': 'c' })
  expect((await run('mv', name, 'old/', 'new/', '-m', 'tidy')).out).toBe(`renamed 2 files of ${name}\n`)
  expect((await run('mv', name, 'c.txt', 'new/c.txt')).code).toBe(0)
  const { json } = await hub.call(ada, 'GET', `/v1/repos/${name}/tree`)
  expect(json.items.map(({ path }: Json) => path)).toEqual(['new/a.txt', 'new/c.txt', 'new/deep/b.txt'])
  const { json: log } = await hub.call(ada, 'GET', `/v1/repos/${name}/commits?limit=2`)
  expect(log.items.map(({ message }: Json) => message)).toEqual(['Rename c.txt to new/c.txt', 'tidy'])
  for (const [from, to] of [
    ['none.txt', 'x.txt'],
    ['none/', 'x/'],
  ] as const)
    for (const word of ['mv', 'cp']) expect([word, (await run(word, name, from, to)).code]).toEqual([word, 4])
  expect((await run('cp', name, 'new/', 'copy/')).out).toBe(`copied 3 files of ${name}\n`)
  expect((await run('cp', name, 'new/a.txt', 'copy/z.txt', '-m', 'again')).code).toBe(0)
  const { json: copied } = await hub.call(ada, 'GET', `/v1/repos/${name}/tree?prefix=copy/`)
  expect(copied.items.map(({ path }: Json) => path)).toEqual([
    'copy/a.txt',
    'copy/c.txt',
    'copy/deep/b.txt',
    'copy/z.txt',
  ])
  const { json: copies } = await hub.call(ada, 'GET', `/v1/repos/${name}/commits?limit=2`)
  expect(copies.items.map(({ message }: Json) => message)).toEqual(['again', 'Copy new/ to copy/'])
  expect((await run('mv', name, 'new/', 'x')).code).toBe(2)
  expect((await run('repo', 'move', name, `${name}-moved`)).out).toBe(`moved ${name} to ${name}-moved\n`)
  expect((await hub.call(ada, 'GET', `/v1/repos/${name}-moved`)).status).toBe(200)
})
