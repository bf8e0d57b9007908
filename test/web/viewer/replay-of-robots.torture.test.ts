// @module-tag full
// @module-tag long
/**
 * Real robots on the page of an episode, in Chromium: at three times each body is where MuJoCo's own kinematics has it,
 * of data sets in both layouts. What is compared are the numbers that the page draws, not those that it prints.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import type { Browser, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Person } from '../../support/hub.ts'
import { noBrowser, openBrowser, openPage } from '../support/browser.ts'
import { recordedDataset } from '../support/lerobot.ts'
import { movedRobot } from '../support/moved-robots.ts'

const robots = [
  ['trossen_wx250s', 'scene.xml'],
  ['trs_so_arm100', 'scene.xml'],
  ['google_barkour_vb', 'scene.xml'],
  ['bitcraze_crazyflie_2', 'scene.xml'],
  ['so100_urdf', 'so100.urdf'],
] as const
const layouts = [2, 3] as const
/** The first frame of an episode, one inside of it and its last one. */
const frames = [0, 12, 24] as const
/** What a picture of a body is placed with has 24 bits: of a robot of some metres less than this. */
const EXACT = 1e-6
/** It ends what hangs, where the processor draws. */
const timeout = 400_000

/** Keeps what the worker of the page last said of its bodies: the page draws it and shows it nowhere whole. */
const keepPoses = `globalThis.Worker = class extends Worker {
  constructor(...all) {
    super(...all)
    this.addEventListener('message', ({ data }) => {
      if (data?.kind === 'frame') globalThis.lastBodies = Array.from(data.frame.bodies)
    })
  }
}`

const hub = contractHub()
let browser: Browser
let page: Page
let faults: () => string[]
let owner: Person

describe('an episode in Chromium', needs(noBrowser, noRobots), () => {
  beforeAll(async () => {
    browser = await openBrowser()
    // Small: the processor draws it.
    const context = await browser.newContext({ viewport: { width: 960, height: 640 } })
    await context.addInitScript(keepPoses)
    ;({ page, faults } = await openPage(context, new URL(hub.running.url).origin))
    owner = await hub.person()
  })
  afterAll(() => browser?.close())

  /** A public repo with these files. */
  async function repo(kind: 'robot' | 'dataset', files: Iterable<readonly [string, Uint8Array]>): Promise<string> {
    const name = await hub.repo(owner, { kind, visibility: 'public' })
    const sent = [...files].map(([path, bytes]) => [path, Buffer.from(bytes)] as const)
    await hub.upload(owner, name, Object.fromEntries(sent))
    return name
  }

  async function filesOf(folder: string): Promise<(readonly [string, Uint8Array])[]> {
    const found = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
    return Promise.all(paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const))
  }

  it.each(robots)('has each body of %s where MuJoCo has it', { timeout }, async (folder, entry) => {
    const from = join(sharedDir() ?? '', 'robots', folder)
    const { recorded, bodies } = await movedRobot(await openMujoco(() => undefined), from, entry)
    const robotType = await repo('robot', await filesOf(from))
    for (const layout of layouts) {
      const name = await repo('dataset', recordedDataset(layout, { ...recorded, robotType }))
      await page.goto(new URL(`/${name}/episodes?${new URLSearchParams({ model: entry })}`, hub.running.url).href)
      const stage = page.locator('.episode-stage')
      await page.locator('.episode-stage[data-frame="0"]').waitFor()
      const known: Float64Array[] = []
      for (const frame of frames) {
        await page.getByRole('slider', { name: 'Time' }).fill(String(frame / recorded.fps))
        await expect.poll(() => stage.getAttribute('data-frame')).toBe(String(frame))
        const shown = await page.evaluate<number[]>('globalThis.lastBodies')
        const expected = bodies[0]?.[frame] ?? new Float64Array()
        known.push(expected)
        expect(shown).toHaveLength(expected.length)
        const apart = shown.map((value, place) => Math.abs(value - (expected[place] ?? Number.NaN)))
        expect(Math.max(...apart)).toBeLessThan(EXACT)
      }
      // It moved between any two of them.
      const [first, , last] = known
      expect(first).not.toEqual(known[1])
      expect(known[1]).not.toEqual(last)
    }
    expect(faults()).toEqual([])
  })
})
