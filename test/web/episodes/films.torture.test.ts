// @module-tag long
/** Pictures and videos that workers make of episodes: on the page of episodes, and in a README that links to one. */
import { filmEpisode } from '@hub/check-worker/film/film-episode'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import type { Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Json, sha256Of } from '../../support/hub.ts'
import { accessibilityFaults, noBrowser, openPage, output, signedInto } from '../support/browser.ts'
import { lerobotDataset } from '../support/lerobot.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

const timeout = 300_000
const joint = (name: string, inner = '') =>
  `<body pos="0 0 .2"><joint name="${name}" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 .2"/>${inner}</body>`
const arm = `<mujoco><worldbody>${joint('shoulder', joint('elbow', joint('gripper')))}</worldbody></mujoco>`

describe('films of episodes in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  let robot: string
  let key: string
  /** Of 16 × 9 points. */
  let png: Buffer

  beforeAll(async () => {
    robot = await hub.repo(work.ada, { kind: 'robot', visibility: 'public' })
    await hub.upload(work.ada, robot, { 'arm.xml': arm })
    key = await hub.key(work.ada)
    const { page } = await work.openPage()
    const made = await page.evaluate<string>(
      `(() => { const c = document.createElement('canvas'); c.width = 16; c.height = 9; return c.toDataURL().slice(22) })()`,
    )
    png = Buffer.from(made, 'base64')
    await page.close()
  })

  // A worker takes the film that has waited longest: that of a test which failed would be the next one's.
  beforeEach(() => hub.sql('delete from episode_films'))

  async function dataset(): Promise<string> {
    const name = await hub.repo(work.ada, { visibility: 'public' })
    const { files } = lerobotDataset(3)
    await hub.upload(work.ada, name, Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes)])))
    return name
  }

  const pathOf = (name: string) => `/v1/repos/${name}/episode-films`
  const filmsOf = async (name: string): Promise<Json[]> => (await hub.call(work.ada, 'GET', pathOf(name))).json.items
  const claim = async (): Promise<Json> =>
    (await hub.call(key, 'POST', '/v1/episode-films/claim-next', { worker: 'box' })).json
  const end = async ({ repo, id, attempt }: Json, body: Json) =>
    expect((await hub.call(key, 'POST', `${pathOf(repo)}/${id}/report`, { attempt, ...body })).status).toBe(200)

  /** What a worker does that has claimed it. */
  async function make(film: Json): Promise<void> {
    const { repo, id, attempt } = film
    const body = { attempt, size: png.length, sha256: sha256Of(png) }
    const { url } = (await hub.call(key, 'POST', `${pathOf(repo)}/${id}/upload`, body)).json
    expect((await hub.put(url, new Uint8Array(png))).status).toBe(200)
    await end(film, { status: 'succeeded' })
  }

  const panelOf = (page: Page) => page.locator('section').filter({ hasText: 'Pictures and videos by a worker' })
  const widthOf = (page: Page, selector: string) =>
    page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)})?.naturalWidth ?? 0`)
  const addressOf = (name: string, more = '') =>
    `${hub.running.url}/${name}/episodes?robot=${encodeURIComponent(robot)}${more}`

  it('are asked for, shown as they go on, and deleted, also for who only looks at them', { timeout }, async () => {
    const name = await dataset()
    const { page, faults } = await work.openPage()
    await page.goto(addressOf(name, '&frame=7'))
    await page.locator('.episode-stage[data-frame="7"]').waitFor()
    const panel = panelOf(page)
    await panel.getByRole('button', { name: 'Have a picture made' }).click()
    await panel.getByText('It waits for a worker').waitFor()
    const film = await claim()
    expect(film).toMatchObject({ repo: name, robot, kind: 'still', episode: 0, frame: 7 })
    await panel.getByText('A worker is making it.').waitFor()
    await make(film)
    await panel.getByRole('img', { name: `Episode 0, frame 7, on ${robot}` }).waitFor()
    await expect.poll(() => widthOf(page, '.episode-film img')).toBe(16)
    await page.screenshot({ path: `${output}/films-made.png`, fullPage: true })
    expect(await accessibilityFaults(page)).toEqual([])

    // Another person, who can read the data set and not write it.
    const bob = await hub.person()
    const seenBy = await openPage(
      await signedInto(work.origin, page.context().browser() as never, bob.token),
      work.origin,
    )
    await seenBy.page.goto(addressOf(name))
    await panelOf(seenBy.page).getByRole('img', { name: 'Episode 0, frame 7' }).waitFor()
    expect(await panelOf(seenBy.page).getByRole('button').count()).toBe(0)

    const remove = panel.getByRole('button', { name: 'Delete the picture of episode 0, frame 7' })
    const dialog = page.getByRole('dialog')
    await remove.click()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await filmsOf(name)).toHaveLength(1)
    await remove.click()
    await dialog.getByRole('button', { name: 'Delete the picture of episode 0, frame 7' }).click()
    await page.getByText('It is deleted.').waitFor()
    await expect.poll(() => panel.getByRole('listitem').count()).toBe(0)
    expect(await filmsOf(name)).toEqual([])
    await expect.poll(() => panelOf(seenBy.page).count()).toBe(0)
    expect([faults(), seenBy.faults()]).toEqual([[], []])
    await seenBy.page.context().close()
    await page.close()
  })

  it('are refused at once for what their page does not show', { timeout }, async () => {
    const [name, bare] = [await dataset(), await hub.repo(work.ada, { kind: 'robot', visibility: 'public' })]
    const chromium = await findChromium(process.env.HUB_TEST_CHROMIUM, process.env.PATH)
    if ('missing' in chromium) throw new Error(chromium.missing)
    const refusal = (more: string, frame = 0) =>
      filmEpisode({
        ...{ program: chromium.program, hub: hub.running.url, token: null, frame, video: false },
        ...{ path: `/${name}/episodes?frame=${frame}&${more}`, signal: new AbortController().signal },
      }).then(
        () => 'a film',
        (error: Error) => error.message,
      )
    const on = `robot=${encodeURIComponent(robot)}`
    expect([
      await refusal(`episode=1&${on}`, 4000),
      await refusal(`episode=9&${on}`),
      await refusal(`episode=1&robot=${encodeURIComponent(bare)}`),
    ]).toEqual([
      expect.stringMatching(/^Episode 1 has no frame 4000: its last one is (\d+)\. Give a frame from 0 to \1\.$/),
      'The page shows no robot: The dataset has no episode 9.',
      `The page shows no robot: ${bare} has no MJCF or URDF file yet.`,
    ])
  })

  it('are canceled while they wait and while they are made, and say why they failed', { timeout }, async () => {
    const name = await dataset()
    const { page, faults } = await work.openPage()
    await page.goto(addressOf(name, '&episode=1'))
    await page.locator('.episode-stage[data-frame="0"]').waitFor()
    const panel = panelOf(page)
    const cancel = async (kind: string) => {
      await panel.getByRole('button', { name: `Cancel the ${kind} of episode 1` }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Cancel the ${kind}` })
        .click()
      await expect.poll(() => panel.getByRole('listitem').count()).toBe(0)
      expect(await filmsOf(name)).toEqual([])
    }
    await panel.getByRole('button', { name: 'Have a video made' }).click()
    await panel.getByText('It waits for a worker').waitFor()
    expect(await filmsOf(name)).toMatchObject([{ kind: 'video', episode: 1, status: 'queued' }])
    await cancel('video')
    expect(await claim()).toBeNull()

    await panel.getByRole('button', { name: 'Have a picture made' }).click()
    await panel.getByText('It waits for a worker').waitFor()
    const film = await claim()
    await panel.getByText('A worker is making it.').waitFor()
    await cancel('picture')
    const late = await hub.call(key, 'POST', `${pathOf(name)}/${film.id}/report`, { attempt: film.attempt })
    expect(late.status).toBe(404)

    await panel.getByRole('button', { name: 'Have a picture made' }).click()
    await panel.getByText('It waits for a worker').waitFor()
    await end(await claim(), { status: 'failed', error: 'The page shows no robot.' })
    await panel.getByText('It failed: The page shows no robot.').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('stand in a README for the frame, the robot and the files that its link names, and for no other', {
    timeout,
  }, async () => {
    const name = await dataset()
    await hub.call(work.ada, 'POST', pathOf(name), { kind: 'still', episode: 0, frame: 7, robot })
    await make(await claim())
    const card = await hub.repo(work.ada, { kind: 'model', visibility: 'public' })
    const link = (title: string, more: string) => `[${title}](${addressOf(name, `${more}&embed=1`)})\n`
    const links = [link('this frame', '&frame=7'), link('any frame', ''), link('another frame', '&frame=8')]
    const other = `[another robot](${hub.running.url}/${name}/episodes?robot=lab%2Fother&frame=7&embed=1)\n`
    await hub.upload(work.ada, card, { 'README.md': `# A policy\n\n${[...links, other].join('\n')}` })
    const { page, faults } = await work.openPage()
    const figure = (title: string) => page.locator('figure.embedded-episode').filter({ hasText: `Play ${title}` })
    const pictures = () =>
      Promise.all(
        ['this frame', 'any frame', 'another frame', 'another robot'].map((title) =>
          figure(title).locator('img').count(),
        ),
      )
    await page.goto(`${hub.running.url}/${card}`)
    await expect.poll(() => page.locator('figure.embedded-episode').count()).toBe(4)
    await expect.poll(pictures).toEqual([1, 1, 0, 0])
    await expect.poll(() => widthOf(page, 'figure.embedded-episode img')).toBe(16)
    await page.screenshot({ path: `${output}/film-in-readme.png`, fullPage: true })
    expect(await accessibilityFaults(page)).toEqual([])
    // Asked for, the viewer takes the place of the picture.
    await page.getByRole('button', { name: 'Play this frame' }).click()
    await page.locator('.embedded-episode .episode-stage[data-frame="7"]').waitFor()
    expect(await page.locator('figure.embedded-episode').first().locator('img').count()).toBe(0)
    // What shows older files would mislead.
    await hub.upload(work.ada, name, { 'notes.txt': 'changed' })
    await page.reload()
    await expect.poll(() => page.locator('figure.embedded-episode').count()).toBe(4)
    await page.waitForLoadState('networkidle')
    expect(await pictures()).toEqual([0, 0, 0, 0])
    expect(faults()).toEqual([])
    await page.close()
  })
})
