// @module-tag long
/** Checks of robots that are started from a page in Chromium, and what the page says of them. Pictures stay in `test-output/pages`. */

import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arm, publishing } from '../../checks/support/publishing.ts'
import { contractHub, type Person } from '../../support/hub.ts'
import { desktop, noBrowser, openBrowser, openPage, settled } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { isSound } from '../support/sound.ts'

describe('checks on the pages in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  let ada: Person
  let browser: Browser
  let context: BrowserContext
  let origin: string
  beforeAll(async () => {
    ada = await hub.person()
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    context = await browser.newContext({ viewport: desktop })
    await context.addCookies([{ name: 'hub_session', value: ada.token, url: origin }])
  })
  afterAll(() => browser?.close())

  it('are started from the page of a robot by keyboard, and say how to start a worker while none runs', async () => {
    const { page, faults } = await openPage(context, origin)
    const robot = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, robot, { 'README.md': '# Arm\n', 'arm.xml': arm(), 'arm.urdf': '<robot name="arm"/>' })
    await page.goto(`${origin}/${robot}`)
    await settled(page)
    await tabTo(page, 'Check this robot')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Base/).waitFor()
    expect(await dialog.getByLabel(/^Model file/).inputValue()).toBe('arm.urdf')
    await dialog.getByLabel(/^Model file/).fill('gone.xml')
    expect(await dialog.getByLabel(/^Base/).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Start check' }).click()
    await dialog.locator('.field-error').waitFor()
    await isSound(page, 'check-start')
    await dialog.getByLabel(/^Model file/).fill('arm.xml')
    await tabTo(page, 'Control rate in Hz')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('100')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/checks/check_*')
    await page.getByText(`hub check-worker --owner ${ada.handle}`).waitFor()
    await isSound(page, 'check-queued')
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { json } = await hub.call(ada, 'GET', `/v1/robot-checks/${id}`)
    expect(json).toMatchObject({ entry: 'arm.xml', control_hz: 100, action: 'position', status: 'queued' })
    expect(faults()).toEqual([])
    await page.close()
  })

  it('show their verdict when they end, what fails first, and no word of how the job ended', async () => {
    const { page, faults } = await openPage(context, origin)
    const { begin, end } = publishing(hub)
    const reported = await begin('robot', { request: { executor: 'worker' } }, ada)
    await page.goto(`${origin}/checks/${reported.check}`)
    await page.getByText('running').first().waitFor()
    const row = (code: string, status: string, message: string) => ({ code, status, message, names: [] })
    await end(
      reported,
      {},
      {
        report: {
          ok: false,
          grade: 'fail',
          source: 'job',
          engine: 'mujoco',
          checks: [
            row('mass', 'pass', 'Every body has a mass.'),
            row('joints', 'warn', 'A joint has no limit.'),
            row('loads', 'fail', 'MuJoCo does not load it.'),
          ],
        },
      },
    )
    await page.getByText('fails', { exact: true }).waitFor()
    await page.getByText('1 failed, 1 with a warning, 1 passed.').waitFor()
    const messages = await page.getByRole('region', { name: 'Report' }).locator('strong').allTextContents()
    expect(messages).toEqual(['MuJoCo does not load it.', 'A joint has no limit.', 'Every body has a mass.'])
    expect(await page.getByText('Every body has a mass.').isVisible()).toBe(false)
    expect(await page.getByText('succeeded').count()).toBe(0)
    await isSound(page, 'check-fails')
    await page.goto(`${origin}/checks`)
    await settled(page)
    await page.getByText('fails', { exact: true }).waitFor()
    expect(await page.locator('tbody').getByText('succeeded').count()).toBe(0)
    await isSound(page, 'checks-results')
    expect(faults()).toEqual([])
    await page.close()
  })
})
