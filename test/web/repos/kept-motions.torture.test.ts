// @module-tag long
/** A recorded rollout that a result keeps: found on the page of its model, and played in 3D as it was recorded. */
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import { motionDocument } from '@hub/rollout/loop/motion'
import type { Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { beforeAll, describe, expect, it } from 'vitest'
import { targetsOf } from '../../../web/src/episodes/replay/robot-targets.ts'
import { told } from '../../../web/src/viewer/panels/element.ts'
import { outcomes, rolloutsOf } from '../../rollouts/support.ts'
import { runHub } from '../../support/command-line.ts'
import { accessibilityFaults, noBrowser, output } from '../support/browser.ts'
import { type MovedRobot, movedRobot } from '../support/moved-robots.ts'
import { personInBrowser } from '../support/person-in-browser.ts'
import { hasPictures } from '../support/recorded-video.ts'

const timeout = 400_000
const folder = join(import.meta.dirname, '../../../examples/robot')

describe('a kept motion in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  const { model, publish, versionOf } = rolloutsOf(hub)
  let arm: { readonly repo: string; readonly version: string }
  let moved: MovedRobot

  beforeAll(async () => {
    moved = await movedRobot(await openMujoco(() => undefined), folder, 'scene.xml')
    const repo = await hub.repo(work.ada, { kind: 'robot' })
    const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
    const paths = entries.map(({ parentPath, name }) => join(parentPath, name))
    const files = await Promise.all(
      paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
    )
    await hub.upload(work.ada, repo, Object.fromEntries(files))
    arm = { repo, version: await versionOf(work.ada, repo) }
  })

  /** Where the robot was at each frame of an episode of `moved`, as a result keeps it. */
  function recording(seed: number, episode: number): Buffer {
    const { session, recorded } = moved
    const outcome = outcomes(4, [3]).find((one) => one.seed === seed)
    if (!outcome) throw new Error(`No outcome of seed ${seed}.`)
    const rows = recorded.episodes[episode]?.state ?? []
    const steps = rows.map((row, at) => ({ time: at / recorded.fps, qpos: wholePose(session, row) }))
    return Buffer.from(JSON.stringify(motionDocument('swing-up', outcome as never, steps as never)))
  }

  /** A result whose seeds 1 and 3 are kept, with the recordings given. */
  async function result(kept: Readonly<Record<number, Buffer>>) {
    const from = await model(work.ada, { visibility: 'private' })
    const all = Object.entries(kept)
    const contents = all.map(([, bytes]) => bytes.toString('base64'))
    expect((await hub.call(work.ada, 'POST', `/v1/repos/${from.repo}/blobs`, { contents })).status).toBe(200)
    const episodes = all.map(([seed, bytes]) => ({
      ...{ seed: Number(seed), size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
    }))
    expect((await publish(work.ada, from, arm, { episodes })).status).toBe(200)
    return from
  }

  const stage = (page: Page, at = 0) => page.locator('.episode-stage').nth(at)
  const frameOf = (page: Page, at = 0) => stage(page, at).getAttribute('data-frame')

  /** What the page says of where the last body is, of the robot at a place. */
  async function placeOf(page: Page, at: number): Promise<string> {
    return stage(page, at).locator('.viewer-place').innerText()
  }
  const recordedPlace = (episode: number, frame: number) => {
    const last = moved.session.opened.bodies.length - 1
    const [x, y, z] = [...(moved.bodies[episode]?.[frame]?.subarray(7 * last, 7 * last + 3) ?? [])].map(told)
    return `x ${x}, y ${y}, z ${z} m`
  }
  async function chooseLastBody(page: Page, at = 0): Promise<void> {
    const robot = page.locator('.episode-replay').nth(at)
    await robot.getByText('Bodies').click()
    await robot.locator('.viewer-bodies button').last().click()
  }

  it('is found on the page of its model, plays, and is where it was at each frame', { timeout }, async () => {
    const from = await result({ 1: recording(1, 0), 3: recording(3, 1) })
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${from.repo}/rollouts`)
    await page.getByText('Recorded motions').click()
    // The worst first.
    await page.getByText('Seed 3: missed').waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: /^Play seed/ }).allInnerTexts())
      .toEqual(['Play seed 3', 'Play seed 1'])
    await page.getByRole('link', { name: 'Play seed 3' }).click()
    await page.getByRole('heading', { name: 'swing-up, seed 3, as it was recorded' }).waitFor()
    await page.getByText('It ran out of time without success.').waitFor()
    await page.locator('.episode-stage[data-frame="0"]').waitFor()
    await chooseLastBody(page)
    const time = page.getByRole('slider', { name: 'Time' })
    for (const frame of [0, 12, 39]) {
      await time.fill(String(frame / moved.recorded.fps))
      await expect.poll(() => frameOf(page)).toBe(String(frame))
      expect(await placeOf(page, 0)).toContain(recordedPlace(1, frame))
    }
    await page.getByRole('button', { name: 'Frame back' }).click()
    await expect.poll(() => frameOf(page)).toBe('38')
    expect(await placeOf(page, 0)).toContain(recordedPlace(1, 38))
    await time.fill('0')
    await expect.poll(() => frameOf(page)).toBe('0')
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    // It ends at its last frame by itself.
    await expect.poll(() => frameOf(page)).toBe('39')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await page.screenshot({ path: join(output, 'kept-motion.png'), fullPage: true })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults()).toEqual([])
    await page.close()
  })

  it('is filmed by a worker as it was recorded, and the film stands with its model', { timeout }, async () => {
    const from = await result({ 3: recording(3, 1) })
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${from.repo}/rollouts`)
    await page.getByText('Recorded motions').click()
    await page.getByRole('link', { name: 'Play seed 3' }).click()
    await page.locator('.episode-stage[data-frame="0"]').waitFor()
    await page.getByRole('slider', { name: 'Time' }).fill(String(12 / moved.recorded.fps))
    await expect.poll(() => frameOf(page)).toBe('12')
    const panel = page.locator('section').filter({ hasText: 'Pictures and videos by a worker' })
    for (const kind of ['picture', 'video']) {
      await panel.getByRole('button', { name: `Have a ${kind} made` }).click()
      await expect.poll(() => panel.getByText('It waits for a worker').count()).toBe(kind === 'picture' ? 1 : 2)
    }
    const home = await mkdtemp(join(tmpdir(), 'hub-kept-film-'))
    try {
      const own = { HOME: home, HUB_URL: hub.running.url, HUB_TOKEN: await hub.key(work.ada) }
      for (const _kind of ['picture', 'video']) {
        const args = ['check-worker', '--only', 'films', '--once', '--json']
        const worked = await runHub(args, { PATH: process.env.PATH ?? '', ...own }, { cwd: home })
        expect([worked.code, worked.out]).toEqual([0, expect.stringContaining('succeeded')])
      }
    } finally {
      await rm(home, { recursive: true, force: true })
    }
    const { items } = (await hub.call(work.ada, 'GET', `/v1/repos/${from.repo}/episode-films`)).json
    expect(items).toMatchObject([
      { kind: 'video', episode: 3, frame: 0, robot: arm.repo, status: 'succeeded' },
      { kind: 'still', episode: 3, frame: 12, robot: arm.repo, status: 'succeeded' },
    ])
    const [moving, standing] = await Promise.all(
      items.map(async ({ url }: { url: string }) => Buffer.from(await (await fetch(url)).arrayBuffer())),
    )
    // The width and height of a PNG are in its first chunk.
    expect([standing?.readUInt32BE(16), standing?.readUInt32BE(20)]).toEqual([640, 360])
    expect(hasPictures(moving)).toBe(true)
    await panel.getByRole('img', { name: `Seed 3, frame 12, on ${arm.repo}` }).waitFor()
    await page.screenshot({ path: join(output, 'kept-motion-filmed.png'), fullPage: true })
    expect(await accessibilityFaults(page)).toEqual([])
    // A link to the picture opens the frame that it shows.
    const link = panel.getByRole('link', { name: 'Seed 3, frame 12' })
    await expect.poll(() => link.getAttribute('href')).toContain('&frame=12')
    // Also where the motion is open at another one, which the address then has, and again once it has moved on.
    const time = page.getByRole('slider', { name: 'Time' })
    for (const frame of [30, 5]) {
      await time.fill(String(frame / moved.recorded.fps))
      await expect.poll(() => frameOf(page)).toBe(String(frame))
      await page.waitForURL(({ searchParams }) => searchParams.get('frame') === String(frame))
      await link.click()
      await expect.poll(() => frameOf(page)).toBe('12')
    }
    expect(await page.locator('.episode-stage').count()).toBe(1)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('stands beside that of another model on one time line, and the shorter one waits', { timeout }, async () => {
    const [one, other] = [await result({ 3: recording(3, 0) }), await result({ 3: recording(3, 1) })]
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${arm.repo}/rollouts`)
    for (const { repo } of [one, other]) {
      const row = page.getByRole('row').filter({ hasText: repo.split('/')[1] ?? '' })
      await row.getByRole('checkbox').check()
    }
    // A phone shows the first columns: what a board is for stands before versions.
    const columns = ['Compare', 'Model', 'Success', 'Interval of 95 %', 'Mean return', 'Version', 'Published']
    await expect.poll(() => page.getByRole('columnheader').allInnerTexts()).toEqual(columns)
    await page.getByText('Recorded motions beside each other:').waitFor()
    await page.getByText('Recorded motions beside each other:').locator('..').getByRole('link').first().click()
    await expect.poll(() => page.locator('.episode-stage[data-frame]').count()).toBe(2)
    const titles = await page.locator('.sides h3').allInnerTexts()
    const shortAt = titles.findIndex((title) => title.startsWith(one.repo))
    await chooseLastBody(page, shortAt)
    await page.getByRole('slider', { name: 'Time' }).fill(String(30 / moved.recorded.fps))
    await expect
      .poll(async () => [await frameOf(page, shortAt), await frameOf(page, 1 - shortAt)])
      .toEqual(['24', '30'])
    expect(await placeOf(page, shortAt)).toContain(recordedPlace(0, 24))
    expect(faults()).toEqual([])
    await page.close()
  })

  it('of a policy with cameras says on model, board and comparison that no other machine repeats it to the bit', {
    timeout,
  }, async () => {
    const drawn_by = 'Chromium 150.0.1, three.js r187, SwiftShader'
    const [plain, seeing] = [await model(work.ada), await model(work.ada)]
    expect((await publish(work.ada, plain, arm)).status).toBe(200)
    const cameras = { front: 'overhead' }
    expect((await publish(work.ada, seeing, arm, { drawn_by, cameras, outcomes: outcomes(4) })).status).toBe(200)
    const { page, faults } = await work.openPage()
    const saysBits = (text: string) => text.includes(`Not reproducible to the bit: pictures drawn by ${drawn_by}`)
    const saysCamera = (text: string) => text.includes('Pictures of front drawn by the camera overhead')
    for (const [{ repo }, isSaid] of [
      [plain, false],
      [seeing, true],
    ] as const) {
      await page.goto(`${hub.running.url}/${repo}/rollouts`)
      const row = page.getByRole('row').filter({ hasText: 'of 4' })
      await row.waitFor()
      const text = await row.innerText()
      expect([saysBits(text), saysCamera(text)]).toEqual([isSaid, isSaid])
      expect(text).toContain('Nothing disturbs the robot: no push, delay or noise.')
    }
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goto(`${hub.running.url}/${arm.repo}/rollouts`)
    for (const [{ repo }, isSaid] of [
      [plain, false],
      [seeing, true],
    ] as const) {
      const row = page.getByRole('row').filter({ hasText: repo.split('/')[1] ?? '' })
      const text = await row.innerText()
      expect([saysBits(text), saysCamera(text)]).toEqual([isSaid, isSaid])
      await row.getByRole('checkbox').check()
    }
    await page.getByText('Their policies see pictures, which machines draw differently: compare the rates.').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('of more than ten seconds says how fast a video of it plays', { timeout }, async () => {
    const long = JSON.parse(recording(3, 1).toString())
    // 40 frames, of which the last is at 25 s.
    const times = long.times.map((_: number, at: number, all: number[]) => (25 * at) / (all.length - 1))
    const from = await result({ 1: recording(1, 0), 3: Buffer.from(JSON.stringify({ ...long, times })) })
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${from.repo}/rollouts`)
    await page.getByText('Recorded motions').click()
    await page.getByRole('link', { name: 'Play seed 3' }).click()
    const panel = page.locator('section').filter({ hasText: 'Pictures and videos by a worker' })
    for (const kind of ['picture', 'video']) await panel.getByRole('button', { name: `Have a ${kind} made` }).click()
    await expect.poll(() => panel.getByText('It waits for a worker').count()).toBe(2)
    await panel.getByText('A video shows the whole motion in 10 seconds at most').waitFor()
    expect(await panel.getByText('2.5 times as fast as it was').count()).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
    // A short one is as it was.
    await page.goto(page.url().replace('seed=3', 'seed=1'))
    await panel.getByRole('button', { name: 'Have a video made' }).click()
    await expect.poll(() => panel.getByText('It waits for a worker').count()).toBe(1)
    expect(await panel.getByText('times as fast').count()).toBe(0)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('plays in a README from its frame, in the place of the picture that a worker made of it', {
    timeout,
  }, async () => {
    const from = await result({ 3: recording(3, 1) })
    const card = await hub.repo(work.ada)
    const { page, faults } = await work.openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: hub.running.url })
    await page.goto(`${hub.running.url}/${from.repo}/rollouts`)
    await page.getByText('Recorded motions').click()
    await page.getByRole('link', { name: 'Play seed 3' }).click()
    await page.locator('.episode-stage[data-frame="0"]').waitFor()
    await page.getByRole('slider', { name: 'Time' }).fill(String(12 / moved.recorded.fps))
    await expect.poll(() => frameOf(page)).toBe('12')
    await page.getByRole('button', { name: 'Copy for a README' }).click()
    await page.getByText('A line for a README of this hub is copied').waitFor()
    const line = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(line).toMatch(/^\[Seed 3 of \S+@[0-9a-f]{7}, frame 12\]\(\S+&frame=12&embed=1\)$/)
    // The same at another frame, which has no picture, and of two results beside each other.
    const [address = ''] = /http[^)]+/.exec(line) ?? []
    const other = `[frame 5](${address.replace('frame=12', 'frame=5')})`
    const id = /roll_[0-9a-z]+/.exec(address)?.[0] ?? ''
    const both = `[both](${address}&other=${encodeURIComponent(`${from.repo}/${id}`)})`
    await hub.upload(work.ada, card, { 'README.md': `# A card\n\n${[line, other, both].join('\n\n')}\n` })
    const path = `/v1/repos/${from.repo}/episode-films`
    const asked = { kind: 'still', episode: 3, rollout: id, frame: 12 }
    expect((await hub.call(work.ada, 'POST', path, asked)).status).toBe(202)
    const key = await hub.key(work.ada)
    await hub.sql(`delete from episode_films where status = 'queued' and frame <> 12`)
    const film = (await hub.call(key, 'POST', '/v1/episode-films/claim-next', { worker: 'box' })).json
    const png = await readFile(join(output, 'kept-motion.png'))
    const bytes = { size: png.length, sha256: createHash('sha256').update(png).digest('hex') }
    const { attempt } = film
    const { url } = (await hub.call(key, 'POST', `${path}/${film.id}/upload`, { attempt, ...bytes })).json
    expect((await hub.put(url, new Uint8Array(png))).status).toBe(200)
    const end = { attempt, status: 'succeeded' }
    expect((await hub.call(key, 'POST', `${path}/${film.id}/report`, end)).json.status).toBe('succeeded')
    await page.goto(`${hub.running.url}/${card}`)
    const figures = page.locator('figure.embedded-episode')
    await expect.poll(() => figures.count()).toBe(3)
    const pictures = async () => Promise.all([0, 1, 2].map((at) => figures.nth(at).locator('img').count()))
    await expect.poll(pictures).toEqual([1, 0, 0])
    expect(await page.locator('.episode-stage').count()).toBe(0)
    await figures.first().getByRole('button', { name: 'Play Seed 3' }).click()
    const shown = figures.first().locator('.episode-stage[data-frame="12"]')
    await shown.waitFor()
    expect(await pictures()).toEqual([0, 0, 0])
    // The page of the motion has the rest, and the page of the repo its own address.
    expect(await figures.first().getByRole('group', { name: 'Share' }).count()).toBe(0)
    expect(await figures.first().getByRole('heading').count()).toBe(0)
    await figures.first().getByRole('button', { name: 'Play', exact: true }).click()
    await figures.first().locator('.episode-stage[data-frame="39"]').waitFor()
    await figures.nth(2).getByRole('button', { name: 'Play both' }).click()
    await expect.poll(() => figures.nth(2).locator('.episode-stage[data-frame="12"]').count()).toBe(2)
    await page.screenshot({ path: join(output, 'kept-motion-in-readme.png'), fullPage: true })
    expect(await accessibilityFaults(page)).toEqual([])
    await figures.first().getByRole('link', { name: 'Seed 3' }).click()
    await page.getByRole('heading', { name: 'swing-up, seed 3, as it was recorded' }).waitFor()
    await page.locator('.episode-stage[data-frame="12"]').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('of another model file is told, and that of a seed that is not kept too', { timeout }, async () => {
    const outcome = outcomes(4, [3])[2]
    const strange = motionDocument('swing-up', outcome as never, [{ time: 0, qpos: [1] }] as never)
    const from = await result({ 3: Buffer.from(JSON.stringify(strange)) })
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${from.repo}/rollouts`)
    await page.getByText('Recorded motions').click()
    await page.getByRole('link', { name: 'Play seed 3' }).click()
    await page.getByText('another number of positions than the model').waitFor()
    await page.goto(page.url().replace('seed=3', 'seed=2'))
    const alert = page.getByRole('alert').filter({ hasText: 'keeps no motion of seed 2' })
    await alert.getByRole('heading', { name: 'No motion of seed 2 is kept' }).waitFor()
    // A result that is not there, played and run again.
    const gone = `${from.repo}/rol_01m812yvrpextarj8nx4n2cj7v`
    for (const kept of ['&kept=1', '']) {
      await page.goto(`${hub.running.url}/${arm.repo}/rollouts?one=${encodeURIComponent(gone)}&seed=3${kept}`)
      const missing = page.getByRole('alert').filter({ hasText: `There is no result ${gone}` })
      await missing.getByRole('heading', { name: 'The result is not there' }).waitFor()
    }
    expect(faults()).toEqual([])
    await page.close()
  })
})

/** All positions of the model, of those that a driver records. */
function wholePose(session: MovedRobot['session'], row: readonly number[]): number[] {
  const qpos = Array.from(session.frame().qpos)
  for (const [place, { at }] of targetsOf(session.opened.facts).entries()) qpos[at] = row[place] ?? 0
  return qpos
}
