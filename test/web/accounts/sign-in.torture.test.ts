// @module-tag long
/** Accounts without a shell, in Chromium: a link, a password, an invitation, and an approval after signing in again. */
import type { Browser } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccountLink } from '../../../src/accounts/links/account-links.ts'
import { noViewer } from '../../../src/operation/audit.ts'
import { contractHub, newName } from '../../support/hub.ts'
import { PASSWORD } from '../../support/passwords.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openBrowser,
  openPage,
  phone,
  settled,
  widerBy,
} from '../support/browser.ts'

describe('accounts in Chromium', needs(noBrowser), () => {
  const hub = contractHub({}, { alone: true })
  let browser: Browser
  let origin: string
  beforeAll(async () => {
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
  })
  afterAll(() => browser?.close())

  it('a person sets a password by a link, invites another one, who comes in and signs in again', async () => {
    const ada = await hub.person()
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const made = await hub.running.deps.db.withTx((tx) => addAccountLink(tx, noViewer, { kind: 'setup', account: ada }))
    const first = await browser.newContext({ viewport: desktop })
    const { page, faults } = await openPage(first, origin)
    await page.goto(`${origin}${made.path}`)
    await page.getByRole('heading', { name: `Choose how ${ada.handle} signs in` }).waitFor()
    expect(new URL(page.url()).hash).toBe('')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('New password', { exact: false }).first().fill(PASSWORD)
    await page.getByLabel('New password again').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/`)
    await page.goto(`${origin}/settings`)
    await page.getByLabel('Current password').waitFor()
    await settled(page)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goto(`${origin}/settings/orgs/${org}`)
    await page.getByRole('button', { name: 'Invite by a link' }).click()
    const shown = page.getByText(`${origin}/redeem#`)
    await shown.waitFor()
    const link = (await shown.textContent())?.trim() ?? ''
    expect(faults()).toEqual([])

    const second = await browser.newContext({ viewport: phone })
    const other = await openPage(second, origin)
    const handle = newName('new')
    // A link that lost its end, and then the whole one in the same tab.
    await other.page.goto(`${origin}/redeem`)
    await other.page.getByText('The link is incomplete').waitFor()
    await other.page.goto(link)
    await other.page.getByLabel('Handle').fill(handle)
    await other.page.getByLabel('New password', { exact: false }).first().fill(PASSWORD)
    await other.page.getByLabel('New password again').fill(PASSWORD)
    expect([await accessibilityFaults(other.page), await widerBy(other.page)]).toEqual([[], 0])
    await other.page.getByRole('button', { name: 'Make the account' }).click()
    await other.page.waitForURL(`${origin}/`)
    await other.page.goto(`${origin}/login?return_to=/settings/keys`)
    await other.page.getByText(`You are signed in as ${handle}.`).waitFor()
    await other.page.getByLabel('Password').fill(PASSWORD)
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.page.waitForURL(`${origin}/settings/keys`)
    expect(other.faults()).toEqual([])
    await Promise.all([first.close(), second.close()])
  })
})
