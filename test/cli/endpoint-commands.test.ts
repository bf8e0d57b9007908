import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerEndpointCommands } from '../../packages/cli/src/endpoint-commands.ts'
import { runCommandLine, runHub } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { endpointsOf, onnxSha256 } from '../support/hub-endpoints.ts'

const hub = contractHub()
const endpoints = endpointsOf(hub)
let env: Record<string, string>
let base: string
let ada: Person
let model: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-endpoint-'))
  ada = await hub.person()
  model = await endpoints.model(ada)
  env = { HUB_URL: hub.running.url, HUB_TOKEN: await hub.key(ada, { scope: 'train' }), HOME: base }
})
afterAll(() => rm(base, { recursive: true, force: true }))

const run = (...args: string[]) => runCommandLine(registerEndpointCommands, ['endpoint', ...args], env)
const hosting = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*' })
const json = async (...args: string[]): Promise<Json> => JSON.parse((await run(...args, '--json')).out)

describe('hub endpoint', () => {
  it('creates an endpoint, shows and lists it, and stops it', async () => {
    const given = ['--params', '1e6', '--name', 'bench', '--max-hours', '2.5', '--onnx', 'policy.onnx']
    const { id, ...made } = await json('create', model, ...given)
    expect(made).toMatchObject({
      status: 'queued',
      name: 'bench',
      params: 1_000_000,
      max_hours: 2.5,
      model_sha256: onnxSha256,
    })
    const shown = await run('show', id)
    expect([shown.code, shown.err]).toEqual([0, ''])
    expect(shown.out).toContain(`endpoint   ${id}  bench\nstatus     queued\nmodel      ${model}/policy.onnx\n`)
    expect((await json('list', '--model', model, '--status', 'queued')).endpoints.map((one: Json) => one.id)).toEqual([
      id,
    ])
    expect((await run('list', '--model', `${ada.handle}/none`)).out).toBe('0 endpoints\n')
    expect((await run('list', '--owner', ada.handle, '--limit', '1')).out).toContain(
      `bench (${model}/policy.onnx)\n1 endpoint\n`,
    )
    expect(await json('stop', id)).toMatchObject({ status: 'stopped' })
    expect(await run('stop', id)).toMatchObject({ code: 5, err: expect.stringContaining('has ended') })
  })

  it('says of a running endpoint that it was asked to stop, and where its server is', async () => {
    const key = await hub.key(ada, { scope: 'train' })
    const id = await endpoints.claimed(key, model)
    const { out } = await run('stop', id)
    expect(out).toContain('status     running, asked to stop\n')
    expect(out).toContain(`url        ${endpoints.url}\n`)
  })

  it('estimates: the tier, and what it can cost', async () => {
    expect((await run('estimate', model, '--params', '5')).out).toMatch(
      /tier +l4: 5 parameters, 12 bytes.*\nat most +not charged/,
    )
    expect(await json('estimate', model, '--params', '5', '--hours', '3')).toMatchObject({ hours: 3, cost_usd_max: 0 })
  })

  it.each([
    [['create', 'nothing'], 5, 'model_repo'],
    [['create', 'nobody/nothing'], 4, 'does not exist'],
    [['estimate', 'MODEL', '--hours', 'long'], 2, '--hours takes a number'],
    [['create', 'MODEL', '--executor', 'cloud'], 2, ''],
    [['create', 'MODEL'], 5, 'params'],
  ])('ends %j with %i', async (args, code, said) => {
    const ended = await run(...args.map((arg) => arg.replace('MODEL', model)))
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(said)])
  })
})

describe('hub endpoint create of a hosted endpoint that nothing ends', () => {
  const served = endpointsOf(hosting)
  let rosa: Person
  let own: string
  let key: Record<string, string>
  beforeAll(async () => {
    rosa = await hosting.person()
    own = await served.model(rosa)
    key = { HUB_URL: hosting.running.url, HUB_TOKEN: await hosting.key(rosa, { scope: 'train' }), HOME: base }
  })
  const create = (more: { stdin?: string; isTTY?: boolean } = {}, ...args: string[]) =>
    runHub(['endpoint', 'create', own, '--params', '5', '--executor', 'hosted', ...args], key, more)
  const count = async () => (await hosting.call(rosa, 'GET', '/v1/endpoints')).json.items.length
  const reserves =
    /Nothing ends this endpoint but you\. It reserves \d+\.\d{4} USD until \d{4}-\d\d-01, and again each month\. /

  it('asks first, with what it reserves, and creates nothing unless a person says yes', async () => {
    const declined = await create({ isTTY: true, stdin: 'n\n' })
    expect([declined.code, declined.err]).toEqual([2, expect.stringMatching(reserves)])
    expect(declined.err).toContain('Nothing was created.')
    const closed = await create({ isTTY: true, stdin: '' })
    expect([closed.code, await count()]).toEqual([2, 0])
    const agreed = await create({ isTTY: true, stdin: 'y\n' })
    expect([agreed.code, agreed.err, await count()]).toEqual([0, expect.stringMatching(reserves), 1])
  })

  it('is refused where nobody can be asked, unless it is given an end or --yes', async () => {
    const before = await count()
    const refused = await create()
    expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(reserves)])
    expect(refused.err).toContain('add --yes to create it without a question')
    expect(await count()).toBe(before)
    for (const args of [['--yes'], ['--max-hours', '2'], ['--budget', '3']])
      expect([args, (await create({}, ...args)).code]).toEqual([args, 0])
    expect(await count()).toBe(before + 3)
  })

  it('is estimated with what it reserves', async () => {
    const estimate = (...args: string[]) =>
      runHub(['endpoint', 'estimate', own, '--params', '5', '--executor', 'hosted', ...args], key)
    expect((await estimate()).out).toMatch(/\nreserves +\d+\.\d{4} USD until \d{4}-\d\d-01, and again each month\n/)
    expect((await estimate('--hours', '2')).out).toContain('\nreserves   1.5984 USD\n')
  })
})
