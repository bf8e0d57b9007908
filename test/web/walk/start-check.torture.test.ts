// @module-tag long
/** Checks of robots that are started from a page in Chromium, and what the page says of them. Pictures stay in `test-output/pages`. */

import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { arm, publishing } from '../../checks/support/publishing.ts'
import { noBrowser, settled } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { personInBrowser } from '../support/person-in-browser.ts'
import { isSound } from '../support/sound.ts'

describe('checks on the pages in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work

  it('are started from the page of a robot by keyboard, and say how to start a worker while none runs', async () => {
    const { page, faults } = await work.openPage()
    const robot = await hub.repo(work.ada, { kind: 'robot' })
    await hub.upload(work.ada, robot, { 'README.md': '# Arm\n', 'arm.xml': arm(), 'arm.urdf': '<robot name="arm"/>' })
    await page.goto(`${work.origin}/${robot}`)
    await settled(page)
    await tabTo(page, 'Check this robot')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Base/).waitFor()
    await expect.poll(() => dialog.getByLabel(/^Model file/).inputValue()).toBe('arm.urdf')
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
    await page.getByText(`hub check-worker --owner ${work.ada.handle}`).waitFor()
    await isSound(page, 'check-queued')
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { json } = await hub.call(work.ada, 'GET', `/v1/robot-checks/${id}`)
    expect(json).toMatchObject({ entry: 'arm.xml', control_hz: 100, action: 'position', status: 'queued' })
    expect(faults()).toEqual([])
    await page.close()
  })

  it('show their verdict when they end, what fails first, and no word of how the job ended', async () => {
    const { page, faults } = await work.openPage()
    const { begin, end } = publishing(hub)
    const reported = await begin('robot', { request: { executor: 'worker' } }, work.ada)
    await page.goto(`${work.origin}/checks/${reported.check}`)
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
    await page.goto(`${work.origin}/checks`)
    await settled(page)
    await page.getByText('fails', { exact: true }).waitFor()
    expect(await page.locator('tbody').getByText('succeeded').count()).toBe(0)
    await isSound(page, 'checks-results')
    expect(faults()).toEqual([])
    await page.close()
  })
})
