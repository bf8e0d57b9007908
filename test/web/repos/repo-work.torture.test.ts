// @module-tag long
/** What people do with a repo in Chromium: make it, and fill it. Pictures stay in `test-output/pages`. */
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub, newName, type Person } from '../../support/hub.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openBrowser,
  openPage,
  output,
  phone,
  settled,
  widerBy,
} from '../support/browser.ts'

describe('work on a repo in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  let ada: Person
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string
  beforeAll(async () => {
    ada = await hub.person()
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    signedIn = await browser.newContext({ viewport: desktop })
    await signedIn.addCookies([{ name: 'hub_session', value: ada.token, url: origin }])
  })
  afterAll(() => browser?.close())

  /** On a narrow and dark screen nothing is cut off, and axe finds nothing. */
  async function fitsOnPhone(page: Page, picture: string): Promise<void> {
    await page.setViewportSize({ ...phone, width: 390 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await settled(page)
    await page.screenshot({ path: join(output, `${picture}-390.png`), fullPage: true })
    expect([picture, await accessibilityFaults(page), await widerBy(page)]).toEqual([picture, [], 0])
    await page.setViewportSize(desktop)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.screenshot({ path: join(output, `${picture}-1280.png`), fullPage: true })
    expect([picture, await accessibilityFaults(page)]).toEqual([picture, []])
  }

  it('makes a repo, also of an organization, and says what is wrong with a name that is taken', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'member' }])
    const slug = newName('arm')
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/`)
    await page.getByRole('link', { name: 'New repo' }).first().click()
    await page.getByLabel(/^Owner/).selectOption(org)
    await page.getByLabel(/^Name/).fill(slug.toUpperCase())
    await page.getByLabel(/^Kind/).selectOption('ROBOT')
    await page.getByLabel(/^Description/).fill('An arm of the bench')
    await page.getByLabel(/^Tags/).fill('so100, bench')
    await fitsOnPhone(page, 'new-repo')
    await page.getByRole('button', { name: 'Create repo' }).click()
    await page.waitForURL(`**/${org}/${slug}/tree/`)
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${org}/${slug}`)
    expect([json.kind, json.visibility, json.description, json.tags.toSorted()]).toEqual([
      'robot',
      'private',
      'An arm of the bench',
      ['bench', 'so100'],
    ])

    await page.goto(`${origin}/new?owner=${org}`)
    await page.getByLabel(/^Name/).fill(slug)
    await page.getByRole('button', { name: 'Create repo' }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.getByRole('alert').first().textContent()).toContain(slug)
    expect(faults()).toEqual([])
    await page.close()
  })
})
