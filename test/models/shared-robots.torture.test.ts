import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, pushFolder } from '@hub/client/internal'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHub } from '../../src/start-hub.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

/** MuJoCo's result for one root file; other members are ignored. */
interface Expected {
  readonly compiles: boolean
  readonly model: string
  readonly base: string | null
  readonly joints: readonly string[] | null
  readonly keyframes: readonly string[] | null
  readonly files: readonly string[]
  readonly error: string | null
}

const dir = join(sharedDir() ?? '/nowhere', 'robots')
const expected = readExpected()
const robots = [...new Set(Object.keys(expected).map((root) => root.split('/')[0] ?? ''))]
const models = Object.entries(expected).map(([root, answer]) => {
  const [robot = '', ...entry] = root.split('/')
  return { robot, entry: entry.join('/'), answer }
})

function readExpected(): Record<string, Expected> {
  try {
    return JSON.parse(readFileSync(join(dir, 'expected.json'), 'utf8'))
  } catch {
    return {}
  }
}

const slugOf = (robot: string) => robot.replaceAll('_', '-')

/** A card with every reference to the model that the model itself allows. */
function cardOf(entry: string, { base, joints, keyframes }: Expected) {
  const order = joints ?? []
  return {
    dof: order.length,
    actuators: order.map((name) => ({ name, gear: 1.5 })),
    mjcf_path: entry,
    interface: {
      version: 1,
      base: base ?? 'fixed',
      joint_order: order,
      default_pose: Object.fromEntries(order.map((name) => [name, 0])),
      default_keyframe: keyframes?.[0] ?? null,
      control_rate_hz: 50,
      actuation: order.length > 0 ? [{ joints: order, mode: 'position' }] : [],
      action: { semantics: 'position', scale: 1 },
      proprioception: ['joint_pos'],
      parts: order.length > 0 ? [{ name: 'all', kind: 'other', joints: order }] : [],
      end_effectors: [],
      feet: [],
      cameras: [],
      command_space: { kind: 'none' },
      safety: { soft_limit_factor: 0.9, safe_stop: 'hold' },
    },
  }
}

describe('the real robots of the shared folder, through the running hub', needs(noRobots), () => {
  const hub = contractHub()
  let ada: Person
  let cache: string
  const card = (robot: string) => `/v1/robots/${ada.handle}/${slugOf(robot)}/card`
  const validate = (robot: string) => `/v1/robots/${ada.handle}/${slugOf(robot)}/validate`

  beforeAll(async () => {
    ada = await hub.person()
    cache = await mkdtemp(join(tmpdir(), 'hub-shared-robots-'))
    const client = createHubClient({ url: hub.running.url, token: ada.token })
    for (const robot of robots) {
      const repo = { owner: ada.handle, slug: slugOf(robot) }
      const pushed = await pushFolder(client, repo, join(dir, robot), { cacheDir: cache, kind: 'robot' })
      expect(pushed.failed).toEqual([])
    }
  })

  afterAll(() => rm(cache, { recursive: true, force: true }))

  it('are all available', () => {
    const folders = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(robots.toSorted()).toEqual(folders.map(({ name }) => name).toSorted())
  })

  it.each(models.filter(({ answer }) => answer.compiles))(
    '$robot/$entry is stored, and the report agrees exactly with MuJoCo',
    async ({ robot, entry, answer }) => {
      const put = await hub.call(ada, 'PUT', card(robot), cardOf(entry, answer))
      expect([put.status, put.json.errors]).toEqual([200, undefined])
      const { json } = await hub.call(ada, 'POST', validate(robot), {})
      expect([json.ok, json.checks.filter(({ status }: Json) => status === 'fail')]).toEqual([true, []])
      expect(json.model).toEqual({
        model: answer.model,
        base: answer.base,
        joints: answer.joints,
        files: answer.files.toSorted(),
        keyframes: answer.keyframes,
      })
      expect(json.interface_fingerprint).toBe(put.json.interface_fingerprint)
    },
  )

  it.each(models.filter(({ answer }) => !answer.compiles))(
    '$robot/$entry, which MuJoCo rejects, is rejected with every missing file',
    async ({ robot, entry, answer }) => {
      const refused = await hub.call(ada, 'POST', validate(robot), { card: cardOf(entry, answer) })
      expect(refused.json.ok).toBe(false)
      const failing = refused.json.checks.filter(({ status }: Json) => status === 'fail')
      expect(failing.map(({ code }: Json) => code)).toContain('assets.closure')
      // MuJoCo names the first file that it could not open.
      const first = /Error opening file '(.*)'/.exec(answer.error ?? '')?.[1]
      expect(failing.flatMap(({ names }: Json) => names)).toContain(first)
      const put = await hub.call(ada, 'PUT', card(robot), cardOf(entry, answer))
      expect([put.status, put.json.errors.map(({ type }: Json) => type)]).toEqual([
        422,
        expect.arrayContaining(['assets.closure']),
      ])
    },
  )

  it('have the same fingerprints and verdicts after a restart', async () => {
    const ask = async (url: string) => {
      const answers = robots.map(async (robot) => {
        const headers = { authorization: `Bearer ${ada.token}` }
        const read = await fetch(new URL(card(robot), url), { headers })
        const report = await fetch(new URL(validate(robot), url), {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: '{}',
        })
        return { card: await read.json(), report: await report.json() }
      })
      return Promise.all(answers)
    }
    const before = await ask(hub.running.url)
    expect(before.every(({ card }: Json) => /^[0-9a-f]{64}$/.test(card.interface_fingerprint))).toBe(true)
    const { publicUrl, ...config } = hub.running.deps.config
    const again = await startHub({ ...config, publicUrl: null, port: 0 }, pino({ level: 'silent' }))
    try {
      expect(again.url).not.toBe(publicUrl)
      expect(await ask(again.url)).toEqual(before)
    } finally {
      await again.stop()
    }
  })
})
