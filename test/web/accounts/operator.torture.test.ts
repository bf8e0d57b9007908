// @module-tag full
// @module-tag long
/** The operator's page and a person's profile, in Chromium. */
import type { Browser } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub } from '../../support/hub.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openBrowser,
  openPage,
  phone,
  settled,
  signedInto,
  widerBy,
} from '../support/browser.ts'

/** After two seconds without an answer of a busy machine `/readyz` is 503, and the page shows it: no fault of the page. */
const exceptNotReady = (faults: readonly string[]) =>
  faults.filter((fault) => !/ status of 503 .*\/readyz\)$/.test(fault))

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('the operator in Chromium', needs(noBrowser), () => {
  const hub = contractHub({}, { alone: true })
  let browser: Browser
  let origin: string
  beforeAll(async () => {
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
  })
  afterAll(() => browser?.close())

  async function signedIn(token: string, viewport: typeof desktop) {
    const context = await signedInto(origin, browser, token, { viewport, reducedMotion: 'reduce' })
    return openPage(context, origin)
  }

  it('a person sets name and picture; the operator disables them, and their open page says so', async () => {
    const ada = await hub.person()
    const { page, faults } = await signedIn(ada.token, phone)
    await page.goto(`${origin}/settings`)
    await page.getByLabel('Name', { exact: false }).first().fill('Ada Lovelace')
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.getByText('Your profile is saved.').waitFor()
    await page
      .getByLabel('Picture', { exact: false })
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') })
    await page.getByText('The picture is set.').waitFor()
    const shown = page.locator('.account-menu img.avatar')
    await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(256)
    expect([await accessibilityFaults(page), await widerBy(page), faults()]).toEqual([[], 0, []])

    const operator = await signedIn(hub.running.operatorToken ?? '', desktop)
    await operator.page.goto(`${origin}/operator`)
    await settled(operator.page)
    await operator.page.getByText('on the disk of the hub', { exact: false }).first().waitFor()
    await operator.page.getByLabel('Handle begins with').fill(ada.handle)
    const row = operator.page.getByRole('region', { name: 'Users' }).getByRole('row', { name: ada.handle })
    await row.waitFor()
    expect(await accessibilityFaults(operator.page)).toEqual([])
    await row.getByRole('button', { name: `Reset ${ada.handle}` }).click()
    await operator.page.getByRole('button', { name: 'Make link' }).click()
    await operator.page.getByText(`${origin}/redeem#`).waitFor()
    await operator.page.getByRole('button', { name: 'I have copied it' }).click()
    await row.getByRole('button', { name: `Disable ${ada.handle}` }).click()
    await operator.page
      .getByRole('dialog')
      .getByRole('button', { name: `Disable ${ada.handle}` })
      .click()
    await row.getByText('disabled', { exact: true }).waitFor()
    await operator.page.setViewportSize(phone)
    expect([await widerBy(operator.page), exceptNotReady(operator.faults())]).toEqual([0, []])

    // A mutation of the open page, and then its next page.
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.getByRole('heading', { name: 'Account disabled' }).first().waitFor()
    await page.goto(`${origin}/settings/keys`)
    await page.getByRole('button', { name: 'Account disabled: sign out' }).click()
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()

    await row.getByRole('button', { name: `Enable ${ada.handle}` }).click()
    await operator.page
      .getByRole('dialog')
      .getByRole('button', { name: `Enable ${ada.handle}` })
      .click()
    await row.getByRole('button', { name: `Disable ${ada.handle}` }).waitFor()
    await Promise.all([page.context().close(), operator.page.context().close()])
  })

  it('nobody else sees the page of the operator', async () => {
    const ada = await hub.person()
    const { page, faults } = await signedIn(ada.token, phone)
    await page.goto(`${origin}/operator`)
    await page.getByRole('heading', { name: 'This page is for the operator' }).waitFor()
    expect([await accessibilityFaults(page), faults()]).toEqual([[], []])
    await page.context().close()
  })
})
