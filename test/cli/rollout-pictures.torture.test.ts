// @module-tag long
/** `hub rollout --publish` of a policy that sees by a camera: one hub, and a Chromium that draws for its processes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seeker } from '../../packages/rollout/test/support/seeker.ts'
import { runHub } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
const chromium = await findChromium(process.env.HUB_CHROMIUM, process.env.PATH)
/** It ends what hangs, on a machine that draws by its processor and has other things to do. */
const timeout = 600_000
let home: string
let ada: Person
let model: string
let robot: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hub-rollout-pictures-'))
  ada = await hub.person()
  robot = await hub.repo(ada, { kind: 'robot', visibility: 'public' })
  await hub.upload(ada, robot, seeker.robot())
  expect((await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, seeker.card)).status).toBe(200)
  model = await hub.repo(ada, { kind: 'model', visibility: 'public' })
  await hub.upload(ada, model, seeker.policy())
})
afterAll(() => rm(home, { recursive: true, force: true }))

const rollout = (browser: string, ...more: string[]) => rolloutOn(robot, browser, ...more)
const rolloutOn = (body: string, browser: string, ...more: string[]) => {
  const env = { HUB_URL: hub.running.url, HUB_TOKEN: ada.token, HOME: home, PATH: process.env.PATH ?? '' }
  const args = ['rollout', model, '--robot', body, '-n', '3', '--parallel', '1', '--publish', ...more]
  return runHub(args, { ...env, HUB_CHROMIUM: browser })
}
const kept = async () => (await hub.call(ada, 'GET', `/v1/repos/${model}/rollouts`)).json.items as Json[]

it('is refused in one line without a Chromium, and keeps nothing', { timeout }, async () => {
  const { code, err } = await rollout('off')
  expect(code).toBe(1)
  expect(err.trimEnd().split('\n').at(-1)).toMatch(
    /The policy sees pictures, and nothing here draws them\. HUB_CHROMIUM is off: (?:(?!apt install).)*\(apt install chromium\)\.$/,
  )
  expect(await kept()).toEqual([])
})

describe('with a Chromium', needs('missing' in chromium && chromium.missing), () => {
  const program = 'program' in chromium ? chromium.program : ''

  it('reaches what it sees, and the result names what drew it; run again, it is the same result', {
    timeout,
  }, async () => {
    const first = await rollout(program, '--json')
    const said = JSON.parse(first.out)
    expect(said).toMatchObject({ task: 'seek', rollouts: 3, successes: 3, kept_seeds: expect.any(Array) })
    expect(said.drawn_by).toMatch(/^Chromium .*three\.js r\d+/)
    const [result, ...others] = await kept()
    expect(others).toEqual([])
    expect(result).toMatchObject({ id: said.published, drawn_by: said.drawn_by, seeds: 3, successes: 3 })
    const board = await hub.call(ada, 'GET', `/v1/repos/${robot}/rollout-boards/${result?.fingerprint}`)
    expect(board.json.items).toMatchObject([{ id: said.published, drawn_by: said.drawn_by }])
    const again = await rollout(program)
    expect(again.out).toContain(`pictures not reproducible to the bit: drawn by ${said.drawn_by}\n`)
    expect(again.out).toContain(`kept     as ${said.published}`)
    expect(await kept()).toEqual([result])
  })

  it('is drawn by the camera that is chosen for a picture, which the result says', { timeout }, async () => {
    const other = await hub.repo(ada, { kind: 'robot', visibility: 'public' })
    await hub.upload(ada, other, seeker.robot(1, 'mast'))
    expect((await hub.call(ada, 'PUT', `/v1/robots/${other}/card`, seeker.card)).status).toBe(200)
    for (const [given, said] of [
      [[], 'the model has no camera of this name, but "mast": --camera eye=CAMERA takes one of them'],
      [['--camera', 'eye=most'], 'the model has no camera "most", but "mast".'],
      [['--camera', 'nose=mast'], '"nose", and the policy sees no picture of this name, but "eye".'],
    ] as const) {
      const refused = await rolloutOn(other, program, ...given)
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(said)])
    }
    expect(await kept()).toHaveLength(1)
    const { out, err } = await rolloutOn(other, program, '--camera', 'eye=mast', '--json')
    expect(JSON.parse(out || err)).toMatchObject({ successes: 3, cameras: { eye: 'mast' } })
    expect((await kept())[0]).toMatchObject({ robot: other, cameras: { eye: 'mast' } })
    // The one that draws it anyway is no choice.
    const same = await rollout(program, '--camera', 'observation.images.eye=eye', '--json')
    expect(JSON.parse(same.out || same.err)).toMatchObject({ cameras: {}, published: (await kept())[1]?.id })
    expect(await kept()).toHaveLength(2)
  })
})
