// @module-tag long
/**
 * Passkeys in Chromium, with its virtual authenticator: from a link to an approval that needs a new sign-in. And the
 * same way back to the approval with a password.
 */
import type { Browser, BrowserContext, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccountLink } from '../../../src/accounts/links/account-links.ts'
import { noViewer } from '../../../src/operation/audit.ts'
import { contractHub, type Person } from '../../support/hub.ts'
import { PASSWORD, passwords } from '../../support/passwords.ts'
import { sessionWorld } from '../../support/sessions.ts'
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

/** A device of this machine that confirms its person at once. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  await session.send('WebAuthn.addVirtualAuthenticator', { options })
}

describe('passkeys in Chromium', needs(noBrowser), () => {
  const hub = contractHub({}, { alone: true })
  const world = sessionWorld(hub)
  const { person } = passwords(hub)
  let browser: Browser
  let origin: string
  beforeAll(async () => {
    browser = await openBrowser()
    // The address that is printed, 127.0.0.1, has no passkeys.
    origin = `http://localhost:${new URL(hub.running.url).port}`
  })
  afterAll(() => browser?.close())

  const grownOld = ({ id }: Person) =>
    hub.sql(`update sessions set signed_in_at = now() - interval '16 minutes' where account_id = $1`, [id])

  /** Asks for an approval in a session that is too old, and follows the way to the sign-in page. */
  async function refusedApproval(page: Page, ada: Person): Promise<string> {
    const [endpoint, device] = [await world.endpoint(ada), await world.device(ada)]
    await grownOld(ada)
    const path = `/endpoints/${endpoint}?approve=${device}`
    await page.goto(`${origin}${path}`)
    const dialog = page.getByRole('dialog', { name: 'Approve a device' })
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await dialog.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL(/\/login\?/)
    return path
  }

  /** Back at the page of the approval, which goes through now. */
  async function approvesNow(page: Page, path: string): Promise<void> {
    await page.waitForURL(`${origin}${path}`)
    const dialog = page.getByRole('dialog', { name: 'Approve a device' })
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Copy the token now').waitFor()
  }

  it('a link leads to a passkey, which signs in, and signs in again for an approval', async () => {
    const ada = await hub.person()
    const made = await hub.running.deps.db.withTx((tx) => addAccountLink(tx, noViewer, { kind: 'setup', account: ada }))
    const context = await browser.newContext({ viewport: desktop })
    const { page, faults } = await openPage(context, origin)
    await addAuthenticator(context, page)

    await page.goto(`${origin}${made.path}`)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(`${origin}/`)

    await page.goto(`${origin}/settings`)
    const panel = page.getByRole('region', { name: 'Passkeys' })
    await panel.getByText('Chrome on Linux').first().waitFor()
    await settled(page)
    expect(await accessibilityFaults(page)).toEqual([])
    // The device has one already; another name, and no removal of the last way in.
    await panel.getByRole('button', { name: 'Add a passkey' }).click()
    await panel.getByText('This device has your passkey already').waitFor()
    await panel.getByRole('button', { name: 'Rename Chrome on Linux' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('my desk')
    await page.keyboard.press('Enter')
    await panel.getByText('my desk').first().waitFor()
    await panel.getByRole('button', { name: 'Remove my desk' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove my desk' }).click()
    await page.getByText('This passkey is your only way to sign in').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.waitForURL(`${origin}/`)
    await page.goto(`${origin}/login?return_to=/settings`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(`${origin}/settings`)

    const path = await refusedApproval(page, ada)
    await page.getByText(`You are signed in as ${ada.handle}.`).waitFor()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await approvesNow(page, path)
    // What an answer of 403 or 409 says in the console.
    expect(faults().filter((fault) => !fault.includes('status of 4'))).toEqual([])
    await context.close()
  })

  it('a refused approval leads to a password, and back', async () => {
    const ada = await person()
    const context = await browser.newContext({ viewport: phone })
    const { page } = await openPage(context, origin)
    await context.addCookies([{ name: 'hub_session', value: ada.token, url: origin }])
    const path = await refusedApproval(page, ada)
    await page.getByLabel('Password').fill(PASSWORD)
    expect(await widerBy(page)).toBe(0)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await approvesNow(page, path)
    await context.close()
  })

  it('a page at the printed address says where passkeys work, and leads there with the token', async () => {
    const ada = await hub.person()
    const made = await hub.running.deps.db.withTx((tx) => addAccountLink(tx, noViewer, { kind: 'setup', account: ada }))
    const context = await browser.newContext({ viewport: phone })
    const printed = new URL(hub.running.url).origin
    const { page, faults } = await openPage(context, printed)
    await page.goto(`${printed}${made.path}`)
    await page.getByText(`Passkeys work at ${origin}`).waitFor()
    expect([await accessibilityFaults(page), await widerBy(page), faults()]).toEqual([[], 0, []])
    await page.getByRole('link', { name: 'Open this page there' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    expect(new URL(page.url()).origin).toBe(origin)
    await context.close()
  })
})
