// @module-tag long
/**
 * A policy that sees by a camera drives a robot in the page: one hub, one browser. Its camera looks at a wall that is
 * red above and blue below, or at one that is the other way round, and the policy turns the one way or the other.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { armCard, EYE, weighing } from '../../../packages/rollout/test/support/seeing-arm.ts'
import { contractHub, type Person } from '../../support/hub.ts'
import { accessibilityFaults, noBrowser, openBrowser, openPage, output } from '../support/browser.ts'

const hub = contractHub()
/** It ends what hangs, on a machine that draws by its processor and has other things to do. */
const timeout = 400_000
const SIDE = 16

const wall = (x: number, z: number, color: string) =>
  `<geom type="box" pos="${x} 0 ${z}" size=".05 3 1" rgba="${color} 1" contype="0" conaffinity="0"/>`
/** Light comes from the camera alone: half of each color at a wall in front of it. */
const robot = `<mujoco model="looker"><worldbody>
  ${wall(1, 1, '1 0 0')}${wall(1, -1, '0 0 1')}${wall(-1, 1, '0 0 1')}${wall(-1, -1, '1 0 0')}
  <body name="mast"><geom size=".02" mass="1" pos="0 0 1"/>
    <camera name="ahead" xyaxes="0 -1 0 0 0 1" fovy="60"/><camera name="behind" xyaxes="0 1 0 0 0 1" fovy="60"/>
    <body name="arm" pos="0 0 1.5"><joint name="pivot" axis="0 0 1" damping="1"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/></body></body>
</worldbody><actuator><motor name="pivot" joint="pivot"/></actuator></mujoco>`

/** The mean of red less that of blue, in the upper half of the picture. */
function looker(): Buffer {
  const plane = SIDE * SIDE
  const weights = new Float32Array(3 * plane)
  weights.fill(2 / plane, 0, plane / 2)
  weights.fill(-2 / plane, 2 * plane, 2.5 * plane)
  return weighing(SIDE, weights)
}

const contract = (camera: string) => ({
  joint_order: ['pivot'],
  action: { semantics: 'torque', scale: 1 },
  control_rate_hz: 10,
  cameras: [{ name: camera, input: EYE, width: SIDE, height: SIDE }],
})

describe('a policy that sees by a camera', needs(noBrowser), () => {
  let browser: Browser
  let page: Page
  let faults: () => string[]
  let owner: Person
  let name: string

  beforeAll(async () => {
    browser = await openBrowser()
    const context = await browser.newContext({ viewport: { width: 960, height: 640 } })
    ;({ page, faults } = await openPage(context, new URL(hub.running.url).origin))
    owner = await hub.person()
    name = await hub.repo(owner, { kind: 'robot', visibility: 'public' })
    await hub.upload(owner, name, { 'robot.xml': Buffer.from(robot) })
    expect((await hub.call(owner, 'PUT', `/v1/robots/${name}/card`, armCard)).status).toBe(200)
  })
  afterAll(() => browser?.close())

  const button = (text: string) => page.getByRole('button', { name: text, exact: true })
  const said = () => page.locator('.viewer-drive-said').innerText()

  async function load(camera: string) {
    const text = JSON.stringify({ contract: contract(camera) })
    await page.getByLabel('Or files: ONNX, contract.json, task.json').setInputFiles([
      { name: 'policy.onnx', mimeType: 'application/octet-stream', buffer: looker() },
      { name: 'contract.json', mimeType: 'application/json', buffer: Buffer.from(text) },
    ])
    await expect.poll(said).toContain('policy.onnx is loaded.')
  }
  /** What it did until it had decided some times, and the colors above and below that a person sees. */
  async function driven() {
    await button('Drive').click()
    await expect.poll(said).toMatch(/ [3-9] decisions| \d\d decisions/)
    const colors = await page.evaluate<number[][]>(
      `[2, 13].map((row) => [...document.querySelector('.viewer-sights canvas').getContext('2d')
        .getImageData(8, row, 1, 1).data])`,
    )
    const saved = page.waitForEvent('download')
    await button('Download episode').click()
    const { episode } = JSON.parse(await readFile(await (await saved).path(), 'utf8'))
    return { colors, actions: (episode as { action: number[] }[]).map(({ action }) => action[0]) }
  }
  /** Of 255: light of the headlight alone, a tenth from all sides and four from the front. */
  const half = expect.closeTo(127.5, -1)

  it('is told which of its cameras are not there, sees by the chosen one, and acts by what it sees', {
    timeout,
  }, async () => {
    await page.goto(new URL(`/${name}/robot`, hub.running.url).href)
    await button('Simulate').waitFor()
    await page.locator('summary', { hasText: /^Policy$/ }).click()
    await load('eye')
    const lacks = 'The policy sees pictures of "eye" (16 x 16): the model has no camera of this name. Choose one of'
    expect(await said()).toContain(`${lacks} "ahead", "behind".`)
    await button('Drive').click()
    await expect.poll(said).toContain(`policy.onnx cannot drive this robot.`)
    expect(await said()).toContain(lacks)
    expect(await page.locator('.viewer-sights').isHidden()).toBe(true)

    await page.getByLabel('eye (16 × 16) is seen by').selectOption('ahead')
    await expect.poll(said).not.toContain('no camera')
    const ahead = await driven()
    expect(ahead.colors).toEqual([
      [half, 0, 0, 255],
      [0, 0, half, 255],
    ])
    for (const action of ahead.actions) expect(action).toBeCloseTo(0.5, 1)
    await page.getByText('eye: ahead · 16 × 16').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.screenshot({ path: join(output, 'policy-camera.png'), timeout: 100_000 })
    await button('Stop').click()
    await page.locator('.viewer-sights').waitFor({ state: 'hidden' })

    // By its name, without a choice.
    await load('behind')
    await expect.poll(() => page.getByLabel('behind (16 × 16) is seen by').inputValue()).toBe('1')
    const behind = await driven()
    expect(behind.colors[0]?.[2]).toBeGreaterThan(100)
    for (const action of behind.actions) expect(action).toBeCloseTo(-0.5, 1)
    expect(faults()).toEqual([])

    // A card that stops drawing ends the drive in words: the policy never sees a black picture in place of the robot's.
    await page.evaluate(
      `document.querySelector('.viewer-stage > canvas').getContext('webgl2')
        .getExtension('WEBGL_lose_context').loseContext()`,
    )
    await expect.poll(said).toContain('The graphics card has stopped drawing for this page. Reload it.')
    await page.locator('.viewer-sights').waitFor({ state: 'hidden' })
    await button('Simulate').waitFor()
  })
})
