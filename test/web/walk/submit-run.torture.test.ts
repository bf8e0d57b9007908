// @module-tag long
/** Runs that are submitted, changed and repeated in Chromium, by keyboard and on a phone. Pictures stay in `test-output/pages`. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostedFunction } from '../../support/hosted-function.ts'
import { contractHub } from '../../support/hub.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openBrowser,
  openPage,
  output,
  settled,
  widerBy,
} from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { type Lab, labSettings, makeLab } from '../support/lab.ts'

const program = hostedFunction()
afterAll(() => program.remove())
const phone = { width: 390, height: 844 }

describe('runs on the pages in Chromium', needs(noBrowser), () => {
  const hub = contractHub(labSettings(program.command))
  let lab: Lab
  let browser: Browser
  let context: BrowserContext
  let origin: string
  beforeAll(async () => {
    lab = await makeLab(hub)
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    context = await browser.newContext({ viewport: desktop })
    await context.addCookies([{ name: 'hub_session', value: lab.ada.token, url: origin }])
  })
  afterAll(() => browser?.close())

  const picture = async (page: Page, name: string, fullPage = true) =>
    writeFile(join(output, `${name}.png`), await page.screenshot({ fullPage }))
  /** Nothing that axe finds, in both themes, and nothing wider than a phone. */
  const isSound = async (page: Page, name: string) => {
    const found = await accessibilityFaults(page)
    await picture(page, name)
    await page.setViewportSize(phone)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    found.push(...(await accessibilityFaults(page)))
    await picture(page, `${name}-phone`)
    expect([name, found, await widerBy(page)]).toEqual([name, [], 0])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(desktop)
  }
  const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''

  it('are submitted from the page of a dataset by keyboard alone, with the price first', async () => {
    const { page, faults } = await openPage(context, origin)
    await page.goto(`${origin}/${lab.dataset}`)
    await settled(page)
    await tabTo(page, 'New run')
    await page.keyboard.press('Enter')
    await page.getByLabel(/^Template/).waitFor()
    expect(await page.getByLabel(/^Dataset/).inputValue()).toBe(lab.dataset)
    await tabTo(page, 'Robot')
    await page.keyboard.type(lab.robot)
    await tabTo(page, 'batch_size')
    await page.keyboard.type('32')
    await tabTo(page, 'All hyperparameters as JSON')
    await page.keyboard.press('Enter')
    await tabTo(page, 'JSON object')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('{"batch_size": 32, "lr": 1e-4, "sched')
    await page.getByText('This is no JSON object').waitFor()
    expect(await page.getByRole('button', { name: 'Show the price' }).isDisabled()).toBe(true)
    await page.keyboard.type('": "cosine"}')
    expect(await page.getByLabel('lr', { exact: true }).inputValue()).toBe('0.0001')
    expect(await page.getByLabel('JSON object').isVisible()).toBe(true)
    await tabTo(page, 'Where')
    await page.keyboard.type('On a h')
    await tabTo(page, 'Hours at most')
    await page.keyboard.type('2')
    await tabTo(page, 'Name')
    await page.keyboard.type('first light')
    await tabTo(page, 'Tags')
    await page.keyboard.type('bench, night')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Recommended hardware' }).waitFor()
    await page.getByText('an hour on').waitFor()
    await isSound(page, 'submit-hosted')
    await page.getByLabel(/^Where/).selectOption('WORKER')
    expect(await page.getByRole('heading', { name: 'Price' }).count()).toBe(0)
    await tabTo(page, 'Show the price')
    await page.keyboard.press('Enter')
    await page.getByText('Not charged: it runs').waitFor()
    await tabTo(page, 'Submit run')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'first light' }).waitFor()
    await page.getByText(`hub runner --owner ${lab.ada.handle}`).waitFor()
    const { json } = await hub.call(lab.ada, 'GET', `/v1/runs/${idOf(page)}`)
    expect(json).toMatchObject({
      status: 'queued',
      name: 'first light',
      tags: ['bench', 'night'],
      recipe: {
        template: 'act',
        dataset: [`svc://${lab.dataset}`],
        robot: lab.robot,
        hyperparams: { batch_size: 32, lr: 0.0001, sched: 'cosine' },
        executor: 'worker',
        max_hours: 2,
      },
    })
    await isSound(page, 'run-queued')
    expect(faults()).toEqual([])
    await page.close()
  })

  it('have what is wrong with them beside its field', async () => {
    const { page, faults } = await openPage(context, origin)
    await page.goto(`${origin}/new-run?robot=${lab.robot}`)
    await page.getByLabel(/^Template/).waitFor()
    expect(await page.getByLabel(/^Robot/).inputValue()).toBe(lab.robot)
    await page.getByLabel(/^Dataset/).fill('my picks')
    await page.getByLabel(/^Hours at most/).fill('900')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.locator('.field-error').nth(1).waitFor()
    const beside = (label: RegExp) =>
      page.locator('label.field', { has: page.getByText(label) }).locator('.field-error')
    expect(await beside(/^Dataset$/).count()).toBe(1)
    expect(await beside(/^Hours at most$/).textContent()).toContain('720')
    expect(await page.locator('.notice').count()).toBe(0)
    await isSound(page, 'submit-refused')
    await page.getByLabel(/^Dataset/).fill('')
    await page.getByLabel(/^Hours at most/).fill('')
    await page.getByLabel(/^Template/).selectOption('vla_a_lora')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.getByText('This template is only planned').waitFor()
    await page.getByRole('button', { name: 'Show the price' }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })
})
