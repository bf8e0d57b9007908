// @module-tag long
/** A map's page in Chromium: it proposes robots with the joints of a data set, says why, and chooses none itself. */
import type { Browser } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person } from '../../support/hub.ts'
import { fitsScreens, noBrowser, openBrowser, openPage, signedInto } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'

const arm = `<mujoco model="arm"><worldbody><body name="link"><joint name="elbow" type="hinge"/>
  <geom size="0.1 0.1 0.1" type="box"/></body></worldbody></mujoco>`

describe('a map of joints in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  const type = newName()
  let ada: Person
  let dataset: string
  let target: string
  let declared: string
  let trained: string
  let alike: string
  let browser: Browser

  const robot = async (change: Json = {}) => {
    const name = await hub.repo(ada, { kind: 'robot', visibility: 'public', ...change })
    await hub.upload(ada, name, { 'arm.xml': arm })
    const card = { dof: 1, actuators: [], mjcf_path: 'arm.xml' }
    expect((await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, card)).status).toBe(200)
    return name
  }

  beforeAll(async () => {
    ada = await hub.person()
    dataset = await hub.repo(ada, { visibility: 'public' })
    target = await robot()
    declared = await robot()
    const said = { codebase_version: 'v3.0', fps: 30, total_episodes: 1, total_frames: 1, robot_type: type }
    await hub.upload(ada, dataset, { 'meta/info.json': JSON.stringify({ ...said, robot: declared }) })
    trained = await robot()
    alike = await robot({ slug: `${type}-arm` })
    const recipe = { template: 'act', dataset: [`svc://${dataset}`], robot: trained }
    const run = await hub.call(ada, 'POST', '/v1/runs', { recipe, name: 'Grasp' })
    expect(run.status).toBe(201)
    const map = {
      version: 1,
      joints: [{ from: 'a', to: 'elbow', sign: 1, scale: 1, offset: 0 }],
      held: [],
      dropped: [],
    }
    const kept = { robot: target, if_version: 0, map }
    expect((await hub.call(ada, 'PUT', `/v1/repos/${dataset}/joint-maps`, kept)).status).toBe(200)
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it('shows a proposed robot beside the other once a person has chosen it', async () => {
    const origin = new URL(hub.running.url).origin
    const { page, faults } = await openPage(await signedInto(origin, browser, ada.token), origin)
    await page.goto(`${origin}/${dataset}/map/${target}`)
    const proposed = page.getByRole('region', { name: 'Proposed robots' })
    await proposed.getByText(`Its name or description has ${type} in it, as the data set does.`).waitFor()
    await expect
      .poll(() => proposed.getByRole('listitem').allTextContents())
      .toEqual([
        expect.stringMatching(new RegExp(`^${declared} +Its meta/info.json declares it`)),
        expect.stringContaining('The run Grasp used both.'),
        expect.stringContaining(alike),
      ])
    const field = page.getByLabel(`Robot with the joints of ${dataset}`)
    await expect.poll(() => page.locator('.episode-stage').count()).toBe(1)
    expect(await field.inputValue()).toBe('')
    await fitsScreens(page, 'proposed-bodies')
    await proposed.getByRole('button', { name: `Show ${trained} beside` }).click()
    await expect.poll(() => page.locator('.episode-stage').count()).toBe(2)
    await expect.poll(() => field.inputValue()).toBe(trained)
    // A link to the page shows the same.
    await expect.poll(() => new URL(page.url()).searchParams.get('body')).toBe(trained)
    await page.reload()
    await expect.poll(() => page.locator('.episode-stage').count()).toBe(2)
    expect(await field.inputValue()).toBe(trained)
    // What stands below the robots does not touch them.
    const swing = page.getByRole('button', { name: 'Move each joint in turn' })
    await swing.waitFor()
    const bodies = page.locator('summary', { hasText: 'Bodies' }).first()
    await bodies.waitFor()
    const [above, below] = [await bodies.boundingBox(), await swing.boundingBox()]
    expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThanOrEqual(8)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('moves both robots by keyboard alone', async () => {
    const origin = new URL(hub.running.url).origin
    const { page, faults } = await openPage(await signedInto(origin, browser, ada.token), origin)
    await page.goto(`${origin}/${dataset}/map/${target}`)
    const show = `Show ${trained} beside`
    await page.getByRole('button', { name: show }).waitFor()
    await page.getByRole('slider').waitFor()
    await tabTo(page, show)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.episode-stage[data-phase="ready"]').count()).toBe(2)
    const given = page.getByRole('list', { name: 'What the robot gets' })
    await given.waitFor()
    await tabTo(page, /^a$/)
    const before = await given.innerText()
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowRight')
    await expect.poll(() => given.innerText()).not.toBe(before)
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Stop')
    await page.keyboard.press('Enter')
    await expect.poll(() => given.innerText()).toBe(before)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => given.innerText()).not.toBe(before)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => given.innerText()).toBe(before)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('shows the version that its address names, and keeps the one that a person chooses in it', async () => {
    const origin = new URL(hub.running.url).origin
    const map = {
      version: 1,
      joints: [{ from: 'a', to: 'elbow', sign: -1, scale: 1, offset: 0 }],
      held: [],
      dropped: [],
    }
    const kept = { robot: target, if_version: 1, map }
    expect((await hub.call(ada, 'PUT', `/v1/repos/${dataset}/joint-maps`, kept)).status).toBe(200)
    const { page, faults } = await openPage(await signedInto(origin, browser, ada.token), origin)
    const address = `${origin}/${dataset}/map/${target}`
    const version = page.getByLabel('Version')
    const given = page.getByRole('list', { name: 'What the robot gets' })
    await page.goto(address)
    await given.getByText('elbow = −a').waitFor()
    await version.selectOption('1')
    await given.getByText('elbow = a').waitFor()
    expect(page.url()).toBe(`${address}?version=1`)
    await page.reload()
    await given.getByText('elbow = a').waitFor()
    expect(await version.inputValue()).toBe('1')
    await page.goto(`${address}?version=7`)
    await page.getByText('Version 7 is not among the 2 newest: version 2 is shown.').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })
})
