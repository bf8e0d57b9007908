// @module-tag full
// @module-tag long
/**
 * The shared robots from their folders to cards that a second hub accepts, and robots that must not get there. A check takes some seconds of the processor: one model of
 * each robot, and with `HUB_TEST_TORTURE=full` all of them.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { isFull } from '@hub/testing/torture'
import { afterAll, describe, expect, it } from 'vitest'
import { contractHub, type Json } from '../support/hub.ts'
import { answersTo, blockingNeeds, type CheckedRobot, folderToCard, found } from './support/folder-to-card.ts'

/** MuJoCo's own result for one model; other members are ignored. */
interface Expected {
  readonly format: 'mjcf' | 'urdf'
  readonly compiles: boolean
  readonly base: string | null
  readonly joints: readonly string[] | null
}

const dir = join(sharedDir() ?? '/nowhere', 'robots')
const models = Object.entries(readExpected()).map(([root, expected]) => {
  const [robot = '', ...entry] = root.split('/')
  return { robot, entry: entry.join('/'), expected }
})

const compiling = models.filter(({ expected }) => expected.compiles)
const scene = (robot: string) =>
  compiling.find((model) => model.robot === robot && model.entry === 'scene.xml') ??
  compiling.find((model) => model.robot === robot)
const tried = isFull ? compiling : compiling.filter((model) => model === scene(model.robot))

function readExpected(): Record<string, Expected> {
  try {
    return JSON.parse(readFileSync(join(dir, 'expected.json'), 'utf8'))
  } catch {
    return {}
  }
}

/** What the outputs of a policy mean for each robot; the others take positions. */
const actions: Readonly<Record<string, string>> = {
  google_barkour_vb: 'position_offset',
  bitcraze_crazyflie_2: 'torque',
}
const actionOf = (robot: string) => actions[robot] ?? 'position'

const path = folderToCard(contractHub(), contractHub({}, { alone: true }))
const made: string[] = []
const rows: string[][] = [['robot', 'seconds', 'needs', 'warnings', 'published']]

/** A copy that a test changes. */
function copyOf(robot: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'hub-broken-robot-'))
  made.push(copy)
  cpSync(join(dir, robot), copy, { recursive: true })
  return copy
}

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
  if (rows.length > 1) console.log(table(rows))
})

function table(lines: readonly string[][]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')
}

async function refusedPublish(robot: CheckedRobot): Promise<void> {
  const refused = await path.publish(robot)
  expect([refused.status, refused.json.detail]).toEqual([
    409,
    expect.stringMatching(/report failed|check of its report/),
  ])
  expect((await path.card(robot)).status).toBe(404)
}

describe('a robot of the shared folder', needs(noRobots), () => {
  it.each(tried)('$robot/$entry gets a card that a second hub accepts', async ({ robot, entry, expected }) => {
    const repo = await path.pushed(join(dir, robot))
    const isUrdf = expected.format === 'urdf'
    // Of a URDF the request itself must say it.
    const asked = { entry, action: actionOf(robot), ...(isUrdf && { base: expected.base }) }
    const first = await path.checked(repo, asked)
    const last = await path.checked(repo, answersTo(first.check, asked))
    expect([blockingNeeds(last.check), last.check.publish_blockers]).toEqual([[], []])
    expect(last.check.report).toMatchObject({ ok: true, engine: 'mujoco 3.14.0' })

    const published = await path.publish(last)
    expect([published.status, published.json.errors]).toEqual([200, undefined])
    const files: string[] = published.json.published.files.map((file: Json) => file.path)
    const mjcf = entry.replace(/\.urdf$/, '.xml')
    expect(files.toSorted()).toEqual(['robot_card.json', ...(mjcf === entry ? [] : [mjcf])].toSorted())

    const card = await path.card(last)
    expect(card.json).toMatchObject({ mjcf_path: mjcf, interface: { base: expected.base } })
    expect(card.json.interface_fingerprint).toBe(published.json.published.interface_fingerprint)
    for (const report of await path.validatedElsewhere(repo, card.json)) {
      expect(report.checks.filter(({ status }: Json) => status === 'fail')).toEqual([])
      expect(report).toMatchObject({ ok: true, interface_fingerprint: card.json.interface_fingerprint })
      expect(report.model.base).toBe(expected.base)
    }

    const codes = (severity: string) =>
      last.check.report.checks.flatMap(({ code, status }: Json) => (status === severity ? [code] : []))
    const needs = [...(isUrdf ? ['base'] : []), ...first.check.draft.needs_you.map(({ field }: Json) => field)]
    const cells = [needs, codes('warn'), files].map((list: string[]) => list.join(', ') || '-')
    rows.push([`${robot}/${entry}`, last.seconds.toFixed(1), ...cells])
  })

  it.each(models.filter(({ expected }) => !expected.compiles))(
    '$robot/$entry, which MuJoCo refuses, gets a report that fails and no card',
    async ({ robot, entry }) => {
      const asked = { entry, action: actionOf(robot), base: entry.endsWith('.urdf') ? 'floating' : null }
      const checked = await path.checked(await path.pushed(join(dir, robot)), asked)
      expect(checked.check).toMatchObject({ report: { ok: false, grade: 'fail' }, draft: { card: null } })
      expect(found(checked.check, 'sim.compiles')).toMatchObject({ status: 'fail', hint: expect.any(String) })
      await refusedPublish(checked)
      rows.push([`${robot}/${entry}`, checked.seconds.toFixed(1), '-', 'fails: sim.compiles', 'refused, 409'])
    },
  )

  it('without one of its meshes gets a report that names the mesh and what to do', async () => {
    const folder = copyOf('trossen_wx250s')
    const mesh = 'assets/wx250s_1_base.stl'
    rmSync(join(folder, mesh))
    const checked = await path.checked(await path.pushed(folder), { entry: 'scene.xml', action: 'position' })
    expect(checked.check.report).toMatchObject({ ok: false, grade: 'fail' })
    expect(found(checked.check, 'assets.closure')).toMatchObject({
      status: 'fail',
      names: [mesh],
      hint: expect.stringMatching(/push|upload|add/i),
    })
    await refusedPublish(checked)
  })

  it('that explodes at its default pose gets a report that names the joint and what to do', async () => {
    const folder = copyOf('trs_so_arm100')
    const file = join(folder, 'so_arm100.xml')
    // A spring that pushes away from its target.
    const spring = '<general name="Pitch" joint="Pitch" biastype="affine" biasprm="0 1e7 0" forcelimited="false"/>'
    writeFileSync(file, readFileSync(file, 'utf8').replace(/<position [^>]*name="Pitch"[^>]*>/, spring))
    const checked = await path.checked(await path.pushed(folder), { entry: 'scene.xml', action: 'position' })
    expect(checked.check.report).toMatchObject({ ok: false, grade: 'fail' })
    expect(found(checked.check, 'sim.stable')).toMatchObject({
      status: 'fail',
      names: expect.arrayContaining(['Pitch']),
      message: expect.stringMatching(/^The model explodes after [\d.]+ s: Pitch /),
      hint: expect.stringContaining('gains'),
    })
    await refusedPublish(checked)
  })
})
