// @module-tag full
// @module-tag long
/** The picture of a repo in lists and on its overview, and a robot in 3D there when a person asks. */
import { join } from 'node:path'
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Person } from '../../support/hub.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openBrowser,
  openPage,
  output,
  phone,
  settled,
  signedInto,
  widerBy,
} from '../support/browser.ts'

/** One pixel each. */
const light = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const dark = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const model = '<mujoco><worldbody><body><joint name="lift" range="0 1"/><geom size="1"/></body></worldbody></mujoco>'
const card = { dof: 1, actuators: [], mjcf_path: 'arm.xml' }

describe('the picture of a repo in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  let ada: Person
  let robot: string
  let plain: string
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string
  beforeAll(async () => {
    ada = await hub.person()
    origin = new URL(hub.running.url).origin
    robot = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, robot, { 'arm.xml': model, 'thumbnail.png': light, 'thumbnail-dark.png': dark })
    const stills = { light: 'thumbnail.png', dark: 'thumbnail-dark.png' }
    await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, { ...card, thumbnail_paths: stills })
    plain = await hub.repo(ada, { kind: 'dataset' })
    await hub.upload(ada, plain, { 'preview.png': 'no picture' })
    browser = await openBrowser()
    signedIn = await signedInto(origin, browser, ada.token)
  })
  afterAll(() => browser?.close())

  it('stands beside its name, moves nothing, follows the theme, and is nothing where the file is not a picture', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    for (const path of [`/repos?q=${robot.split('/')[1]}`, `/@${ada.handle}`]) {
      await page.goto(`${origin}${path}`)
      await settled(page)
      const row = page.getByRole('row').filter({ hasText: robot.split('/')[1] ?? '' })
      const picture = row.locator('.repo-thumb img')
      await picture.waitFor()
      await expect.poll(() => picture.getAttribute('loading')).toBe('lazy')
      const pixels = () => picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))
      expect(await pixels()).toBe(1)
      expect(await row.locator('.repo-thumb').boundingBox()).toMatchObject({ width: 64, height: 48 })
      const before = await picture.getAttribute('src')
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(() => picture.getAttribute('src')).not.toBe(before)
      expect(await pixels()).toBe(1)
      expect(await accessibilityFaults(page)).toEqual([])
      await page.setViewportSize(phone)
      expect(await widerBy(page)).toBe(0)
      await page.screenshot({
        path: join(output, `repo-list-pictures-${path.startsWith('/@') ? 'account' : 'repos'}.png`),
      })
      await page.setViewportSize(desktop)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    const other = page.getByRole('row').filter({ hasText: plain.split('/')[1] ?? '' })
    await expect.poll(() => other.locator('.repo-thumb img').count()).toBe(0)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('is on the overview of a robot at once; the viewer comes when it is asked for', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${origin}/${robot}`)
    await settled(page)
    const panel = page.getByRole('region', { name: 'Robot', exact: true })
    await panel.getByAltText(`The robot ${robot}`).waitFor()
    expect(asked.filter((url) => /mujoco|engine-worker|robot-view/.test(url))).toEqual([])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.screenshot({ path: join(output, 'robot-overview.png'), fullPage: true })
    await panel.getByRole('button', { name: 'View in 3D' }).press('Enter')
    await panel.locator('.viewer canvas').waitFor()
    await page.screenshot({ path: join(output, 'robot-overview-3d.png'), fullPage: true })
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    await page.screenshot({ path: join(output, 'robot-overview-3d-phone.png'), fullPage: true })
    expect(faults()).toEqual([])
    await page.close()
  })
})
