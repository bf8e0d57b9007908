// @module-tag full
// @module-tag long
/**
 * Real robots in 3D on the pages of a hub, and episodes of a dataset: one hub, one browser. The pictures stay in `test-output/viewer`, to be looked at, with what was
 * measured (`measured.json`).
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { back } from '@hub/embodiment/joint-map'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import type { Browser, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jointState, jointsAt, madeMcap } from '../../../packages/dataset/test/support/made-mcap.ts'
import { told } from '../../../web/src/viewer/panels/element.ts'
import { runHub } from '../../support/command-line.ts'
import { contractHub, type Person } from '../../support/hub.ts'
import { accessibilityFaults, noBrowser, openBrowser, openPage, phone, widerBy } from '../support/browser.ts'
import { lerobotDataset, recordedDataset } from '../support/lerobot.ts'
import { movedRobot } from '../support/moved-robots.ts'
import { hasPictures, recorded } from '../support/recorded-video.ts'

const shared = sharedDir()
const output = join(import.meta.dirname, '../../../test-output/viewer')
const hub = contractHub()

let browser: Browser
let page: Page
let faults: () => string[]
let owner: Person
/** Small: a picture of four times the size takes the processor four times as long. */
const desk = { width: 960, height: 640 }
/** They end what hangs, on a machine that draws by its processor and has other things to do. */
const timeout = 400_000
const measured: Record<string, string>[] = []

/** Of robots and pages the ordinary run takes a sample, since the processor draws them; `npm run test:viewer` asks for all. */
const isAsked = process.env.HUB_TEST_VIEWER === 'on'

const notAsked = !isAsked && 'only `npm run test:viewer` opens them'

describe('on the pages of a hub', needs(noBrowser), () => {
  beforeAll(async () => {
    await mkdir(output, { recursive: true })
    browser = await openBrowser()
    const context = await browser.newContext({ viewport: desk })
    ;({ page, faults } = await openPage(context, new URL(hub.running.url).origin))
    owner = await hub.person()
  })
  afterAll(async () => {
    await browser?.close()
    await writeFile(join(output, 'measured.json'), JSON.stringify(measured, null, 2))
  })

  const open = (name: string, what: 'robot' | 'episodes') =>
    page.goto(new URL(`/${name}/${what}`, hub.running.url).href)
  const picture = (name: string) => page.screenshot({ path: join(output, `${name}.png`), timeout: 100_000 })
  const canvas = () => page.locator('.viewer-stage canvas').screenshot({ timeout: 100_000 })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  /** A public repo with the files of a folder. */
  async function robotRepo(folder: string, root = join(shared ?? '', 'robots', folder)): Promise<string> {
    const name = await hub.repo(owner, { kind: 'robot', visibility: 'public' })
    const entries = await readdir(root, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const bytes = await Promise.all(files.map((file) => readFile(file)))
    await hub.upload(
      owner,
      name,
      Object.fromEntries(files.map((file, at) => [file.slice(root.length + 1), bytes[at] ?? Buffer.alloc(0)])),
    )
    return name
  }

  const robots = [
    { folder: 'trossen_wx250s', entry: 'scene.xml', joint: 'shoulder' },
    { folder: 'trs_so_arm100', entry: 'scene.xml', joint: 'Elbow' },
    { folder: 'google_barkour_vb', entry: 'scene.xml', joint: 'hip_hind_right' },
    { folder: 'bitcraze_crazyflie_2', entry: 'scene.xml', joint: 'cf2 z', isSample: true },
    { folder: 'so100_urdf', entry: 'so100.urdf', joint: 'elbow_flex' },
  ].filter(({ isSample }) => isAsked || isSample)

  it.each(robots)(
    '$folder is shown in 3D, posed and simulated',
    { ...needs(noRobots), timeout },
    async ({ folder, entry, joint }) => {
      const name = await robotRepo(folder)
      if (folder === 'trs_so_arm100')
        expect((await hub.call(owner, 'PUT', `/v1/robots/${name}/card`, { dof: 6, mjcf_path: entry })).status).toBe(200)
      await open(name, 'robot')
      await button('Simulate').waitFor()
      await expect.poll(() => page.getByLabel('Model', { exact: true }).inputValue()).toBe(entry)
      await picture(`${folder}-1-shown`)

      await page.locator('summary', { hasText: 'Bodies' }).click()
      await page.locator('.viewer-bodies button').last().click()
      const place = () => page.locator('.viewer-place').innerText()
      const [placeBefore, before] = [await place(), await canvas()]
      const slider = page.getByRole('slider', { name: joint, exact: true })
      await slider.fill(
        String(Number(await slider.getAttribute('min')) * 0.6 + Number(await slider.getAttribute('max')) * 0.4),
      )
      await expect.poll(place).not.toBe(placeBefore)
      const moved = await canvas()
      expect(moved.equals(before)).toBe(false)

      await page.getByLabel('Collision').check()
      expect((await canvas()).equals(moved)).toBe(false)
      await picture(`${folder}-2-collision`)
      await page.getByLabel('Collision').uncheck()

      for (const layer of ['Frames', 'Inertia']) {
        const before = await canvas()
        await page.getByLabel(layer, { exact: true }).check()
        expect((await canvas()).equals(before)).toBe(false)
        await page.getByLabel(layer, { exact: true }).uncheck()
      }

      await button('Simulate').click()
      const status = () => page.locator('.viewer-status').innerText()
      const simulated = async () => Number(/time ([\d.]+) s/.exec(await status())?.[1])
      await expect.poll(simulated).toBeGreaterThan(1)
      await expect.poll(status).toMatch(/frames\/s/)
      const running = await status()
      await button('Pause').click()
      await picture(`${folder}-3-simulated`)
      await button('Reset').click()
      await expect.poll(simulated).toBe(0)
      await button('Step').click()
      await expect.poll(simulated).toBeGreaterThan(0)
      await expect.poll(simulated).toBeLessThan(0.01)
      await page.locator('summary', { hasText: /^Model$/ }).click()
      measured.push({
        folder,
        running,
        model: (await page.locator('.viewer-side dl').innerText()).replaceAll('\n', ' '),
      })
      expect(await accessibilityFaults(page)).toEqual([])
      expect(faults()).toEqual([])
    },
  )

  it('a model that MuJoCo refuses is told by file and line; leaving the page ends the worker', {
    ...needs(noRobots, notAsked),
    timeout,
  }, async () => {
    const name = await robotRepo('google_barkour_vb')
    await open(name, 'robot')
    await button('Simulate').waitFor()
    expect(page.workers()).toHaveLength(1)
    await page.getByLabel('Model', { exact: true }).selectOption('barkour_vb_rev_1_0_head_straight.urdf')
    const problem = page.getByRole('alert')
    await problem.waitFor()
    await expect.poll(() => problem.innerText()).toMatch(/barkour_vb_rev_1_0_head_straight\.urdf:\d+: .*package:\/\//)
    await picture('refused')
    await page.getByRole('link', { name: 'Repos' }).first().click()
    await expect.poll(() => page.workers().length).toBe(0)
    expect(faults()).toEqual([])
  })

  it('a robot fits a phone, in the dark', { ...needs(noRobots, notAsked), timeout }, async () => {
    const name = await robotRepo('trs_so_arm100')
    await page.setViewportSize(phone)
    await page.emulateMedia({ colorScheme: 'dark' })
    await open(name, 'robot')
    await button('Simulate').waitFor()
    expect(await widerBy(page)).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await picture('phone')
    await page.setViewportSize(desk)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(faults()).toEqual([])
  })

  it('an episode plays on the robot that the dataset names, frame by frame as MuJoCo has it', { timeout }, async () => {
    const folder = join(import.meta.dirname, '../../../examples/robot')
    const { recorded, bodies, session } = await movedRobot(await openMujoco(() => undefined), folder, 'scene.xml')
    const robot = await robotRepo('pico_arm', folder)
    const name = await hub.repo(owner, { visibility: 'public' })
    const files = recordedDataset(3, { ...recorded, robotType: robot })
    await hub.upload(owner, name, Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes)])))
    await open(name, 'episodes')
    const stage = page.locator('.episode-stage')
    await page.locator('.episode-stage[data-frame="0"]').waitFor()
    await page.getByText('Bodies').click()
    await page.locator('.viewer-bodies button').last().click()
    const last = session.opened.bodies.length - 1
    const place = () => page.locator('.viewer-place').innerText()
    for (const frame of [0, 12, 24]) {
      await page.getByRole('slider', { name: 'Time' }).fill(String(frame / recorded.fps))
      await expect.poll(() => stage.getAttribute('data-frame')).toBe(String(frame))
      const [x, y, z] = [...(bodies[0]?.[frame]?.subarray(7 * last, 7 * last + 3) ?? [])].map(told)
      expect(await place()).toContain(`x ${x}, y ${y}, z ${z} m`)
    }
    await picture('replay-1-last-frame')
    await page.getByLabel('Action as a second pose').check()
    await page.getByText('4 of 4 joints are matched by name').waitFor()
    await button('Frame back').click()
    await expect.poll(() => stage.getAttribute('data-frame')).toBe('23')
    // A link opens the same.
    await page.waitForURL(/frame=23.*ghost=action/)
    await page.reload()
    await page.locator('.episode-stage[data-frame="23"]').waitFor()
    await expect.poll(() => page.getByLabel('Action as a second pose').isChecked()).toBe(true)
    await picture('replay-2-action')
    await page.getByLabel('Beside it').fill('1')
    await page.getByLabel('Beside it').press('Enter')
    await expect.poll(() => page.locator('.episode-stage[data-frame]').count()).toBe(2)
    await page.locator('summary', { hasText: 'Joints' }).click()
    await page.getByLabel('Unit of shoulder_pan').selectOption('degrees')
    await page.getByText('4 of 4 joints follow a map that was changed on this page.').waitFor()
    await page.waitForURL(/map=.*0\.01745/)
    await picture('replay-3-beside')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    await picture('replay-4-phone')
    await page.setViewportSize(desk)
    expect(faults()).toEqual([])
  })

  it('a recording moves a robot by the kept map that a person has reviewed, and by no other unless asked', {
    timeout,
  }, async () => {
    const folder = join(import.meta.dirname, '../../../examples/robot')
    const moved = await movedRobot(await openMujoco(() => undefined), folder, 'scene.xml')
    const { recorded, bodies, session } = moved
    const robot = await robotRepo('pico_arm', folder)
    const name = await hub.repo(owner, { visibility: 'public' })
    const joints = recorded.joints.map((to, at) => ({
      ...({ from: `motor_${at}`, to, sign: at % 2 === 0 ? -1 : 1, scale: Math.PI / 180, offset: at / 10 } as const),
    }))
    // The driver wrote the last motor first.
    const rows = (recorded.episodes[0]?.state ?? []).map((row) =>
      joints.map((joint, at) => back(joint, row[at] ?? 0)).toReversed(),
    )
    const names = joints.map(({ from }) => from).toReversed()
    const recording = await madeMcap([
      {
        ...{ name: '/joint_states', schema: 'sensor_msgs/msg/JointState', encoding: 'cdr', text: jointState },
        messages: rows.map((row, at) => jointsAt(at / recorded.fps, names, row)),
      },
    ])
    await hub.upload(owner, name, { 'one.mcap': Buffer.from(recording) })
    const maps = `/v1/repos/${name}/joint-maps`
    const map = { version: 1, joints, held: [], dropped: [] }
    expect((await hub.call(owner, 'PUT', maps, { robot, if_version: 0, map })).status).toBe(200)

    const opened = `/${name}/episodes?robot=${encodeURIComponent(robot)}`
    await page.goto(new URL(opened, hub.running.url).href)
    await page.getByText('A map is kept: version 1, not reviewed.').waitFor()
    await page.getByLabel('Map', { exact: true }).selectOption('1')
    await page.getByText('No one has reviewed it').waitFor()
    expect((await hub.call(owner, 'POST', `${maps}/review`, { robot, version: 1 })).status).toBe(200)
    await page.goto(new URL(opened, hub.running.url).href)
    await page.getByText(`${joints.length} of ${joints.length} joints follow the kept map, version 1`).waitFor()
    await page.locator('.episode-stage[data-frame="0"]').waitFor()
    await page.getByText('Bodies').click()
    await page.locator('.viewer-bodies button').last().click()
    const last = session.opened.bodies.length - 1
    for (const frame of [0, 12, 24]) {
      await page.getByRole('slider', { name: 'Time' }).fill(String(frame / recorded.fps))
      await expect.poll(() => page.locator('.episode-stage').getAttribute('data-frame')).toBe(String(frame))
      const [x, y, z] = [...(bodies[0]?.[frame]?.subarray(7 * last, 7 * last + 3) ?? [])].map(told)
      await expect.poll(() => page.locator('.viewer-place').innerText()).toContain(`x ${x}, y ${y}, z ${z} m`)
    }
    expect(await accessibilityFaults(page)).toEqual([])
    await picture('replay-6-kept-map')
    expect(faults()).toEqual([])
  })

  it('a recording in MCAP plays on a robot, with its pictures', { timeout }, async () => {
    const folder = join(import.meta.dirname, '../../../examples/robot')
    const {
      recorded: moved,
      bodies,
      session,
    } = await movedRobot(await openMujoco(() => undefined), folder, 'scene.xml')
    const robot = await robotRepo('pico_arm', folder)
    const name = await hub.repo(owner, { visibility: 'public' })
    const png = await page.evaluate<string>(
      `(() => { const c = document.createElement('canvas'); c.width = 8; c.height = 6; return c.toDataURL().slice(22) })()`,
    )
    const recording = await madeMcap([
      {
        ...{ name: '/joint_states', schema: 'sensor_msgs/msg/JointState', encoding: 'cdr', text: jointState },
        messages: (moved.episodes[0]?.state ?? []).map((row, at) => jointsAt(at / moved.fps, moved.joints, row)),
      },
      {
        ...{ name: '/front', schema: 'foxglove.CompressedImage', encoding: 'json' },
        messages: [[0, { data: png, format: 'png' }]],
      },
    ])
    await hub.upload(owner, name, { 'one.mcap': Buffer.from(recording) })
    await page.goto(new URL(`/${name}/episodes?robot=${encodeURIComponent(robot)}`, hub.running.url).href)
    await page.locator('.episode-stage[data-frame="0"]').waitFor()
    await page.getByText('Bodies').click()
    await page.locator('.viewer-bodies button').last().click()
    const last = session.opened.bodies.length - 1
    for (const frame of [12, 24]) {
      await page.getByRole('slider', { name: 'Time' }).fill(String(frame / moved.fps))
      await expect.poll(() => page.locator('.episode-stage').getAttribute('data-frame')).toBe(String(frame))
      const [x, y, z] = [...(bodies[0]?.[frame]?.subarray(7 * last, 7 * last + 3) ?? [])].map(told)
      await expect.poll(() => page.locator('.viewer-place').innerText()).toContain(`x ${x}, y ${y}, z ${z} m`)
    }
    await page.getByText('/joint_states is taken for what was measured.').waitFor()
    await page.getByRole('img', { name: 'Pictures of /front' }).waitFor()
    const width = () => page.evaluate<number>('document.querySelector(".episode-videos canvas").width')
    await expect.poll(width).toBe(8)
    const saved = page.waitForEvent('download')
    await button('Save video').click()
    const film = await readFile(await (await saved).path())
    expect(hasPictures(film)).toBe(true)
    expect(film.length).toBeGreaterThan(1000)
    expect(await accessibilityFaults(page)).toEqual([])
    await picture('replay-5-mcap')
    expect(faults()).toEqual([])
  })

  it('hub data film saves a picture and a video of an episode of a private data set', { timeout }, async () => {
    const folder = join(import.meta.dirname, '../../../examples/robot')
    const { recorded } = await movedRobot(await openMujoco(() => undefined), folder, 'scene.xml')
    const robot = await robotRepo('pico_arm', folder)
    const name = await hub.repo(owner)
    const files = recordedDataset(3, { ...recorded, robotType: robot })
    await hub.upload(owner, name, Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes)])))
    const home = await mkdtemp(join(tmpdir(), 'hub-film-'))
    const env = { PATH: process.env.PATH ?? '', HOME: home, HUB_URL: hub.running.url, HUB_TOKEN: await hub.key(owner) }
    const film = (...args: string[]) => runHub(['data', 'film', name, ...args], env, { cwd: home })
    try {
      const made = await film('--frame', '12', '--still', 'a.png', '--video', 'a.webm')
      expect([made.code, made.err]).toEqual([0, ''])
      const [still, video] = [await readFile(join(home, 'a.png')), await readFile(join(home, 'a.webm'))]
      expect(still.subarray(1, 4).toString()).toBe('PNG')
      expect(hasPictures(video)).toBe(true)
      await writeFile(join(output, 'film-frame-12.png'), still)
      // The same by a worker, which the hub gives it to.
      await hub.call(owner, 'POST', `/v1/repos/${name}/episode-films`, { kind: 'still', episode: 0, frame: 12 })
      await hub.call(owner, 'POST', `/v1/repos/${name}/episode-films`, { kind: 'video', episode: 0 })
      for (const _kind of ['still', 'video']) {
        const worked = await runHub(['check-worker', '--only', 'films', '--once', '--json'], env, { cwd: home })
        expect([worked.code, worked.out]).toEqual([0, expect.stringContaining('succeeded')])
      }
      const { items } = (await hub.call(owner, 'GET', `/v1/repos/${name}/episode-films`)).json
      const [moving, standing] = await Promise.all(
        items.map(async ({ url }: { url: string }) => Buffer.from(await (await fetch(url)).arrayBuffer())),
      )
      // The width and height of a PNG are in its first chunk.
      expect([standing?.readUInt32BE(16), standing?.readUInt32BE(20)]).toEqual([640, 360])
      expect(hasPictures(moving)).toBe(true)
      await writeFile(join(output, 'film-by-worker.png'), standing)
      const again = await film('--still', 'a.png')
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('a.png exists already')])
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })

  it.each(isAsked ? ([2, 3] as const) : ([3] as const))(
    'an episode of a LeRobot dataset (layout %s) is plotted beside its video, with one time',
    { timeout },
    async (layout) => {
      const video = await recorded(page)
      const name = await hub.repo(owner, { visibility: 'public' })
      const { files } = lerobotDataset(layout, video)
      await hub.upload(owner, name, Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes)])))
      await open(name, 'episodes')
      const slider = page.getByRole('slider', { name: 'Time' })
      await slider.waitFor()
      const seconds = () => page.evaluate<number>('document.querySelector("video").currentTime')
      const ready = () => page.evaluate<number>('document.querySelector("video").readyState')
      await expect.poll(ready).toBeGreaterThanOrEqual(2)
      const value = () => page.locator('.episode-legend dd').first().innerText()
      const before = await value()
      await slider.fill('1')
      await expect.poll(value).not.toBe(before)
      await expect.poll(seconds).toBeCloseTo(1, 1)
      await picture(`episode-layout-${layout}`)
      await button('Play').click()
      await expect.poll(async () => Number(await slider.inputValue())).toBeGreaterThan(1.2)
      await button('Next').click()
      await page.getByText('Pick cube 1 · 60 frames').waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
      measured.push({ layout: String(layout), episode: await page.locator('.episodes > .episode-note').innerText() })
      expect(faults()).toEqual([])
    },
  )
})
