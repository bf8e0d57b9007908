// @module-tag long
/** The form of a gate in Chromium: a task of the chosen robot is found by a part of its name. */
import type { Browser } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcomes, rolloutsOf, task } from '../../rollouts/support.ts'
import { contractHub, type Person } from '../../support/hub.ts'
import { fitsScreens, noBrowser, openBrowser, openPage, signedInto } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'

/** More than one page of the form has. */
const TASKS = 30

describe('the form of a gate in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  const { model, robot, publish } = rolloutsOf(hub)
  let ada: Person
  let walker: Awaited<ReturnType<typeof model>>
  let arm: Awaited<ReturnType<typeof robot>>
  let browser: Browser
  beforeAll(async () => {
    ada = await hub.person()
    walker = await model(ada)
    arm = await robot(ada)
    for (let at = 0; at < TASKS; at += 1) {
      const change = { task: { ...task, name: `task ${String(at).padStart(2, '0')}` }, outcomes: outcomes(1) }
      expect((await publish(ada, walker, arm, change)).status).toBe(200)
    }
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it('finds a task that is not on the first page, says where there is none, and sets its gate', async () => {
    const origin = new URL(hub.running.url).origin
    const { page, faults } = await openPage(await signedInto(origin, browser, ada.token), origin)
    // On a busy machine the form is opened before the results are there, from which its first robot is proposed.
    const opened = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName === 'ModelRollouts') await opened.promise
      await route.continue()
    })
    await page.goto(`${origin}/${walker.repo}/rollouts`)
    await page.getByText('Add a gate').click()
    await page.locator('details[open]').waitFor()
    opened.resolve()
    const boards = page.locator('select[name=board]')
    await boards.waitFor()
    expect(await boards.locator('option').count()).toBe(25)
    const find = page.getByLabel('Find a task of the robot')
    await find.fill('TASK 29')
    await expect.poll(() => boards.locator('option').allTextContents()).toEqual([expect.stringMatching(/^task 29 /)])
    await find.fill('swim')
    await page.getByText(`No task of ${arm.repo} that has results has swim in its name.`).waitFor()
    expect(await boards.count()).toBe(0)
    await find.fill('29')
    await boards.waitFor()
    await fitsScreens(page, 'gate-tasks')
    await page.getByRole('button', { name: 'Set gate' }).click()
    await page.getByText(`The gate task 29 on ${arm.repo} is set.`).waitFor()
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${walker.repo}/rollout-gates`)
    expect(json.gates.map((gate: { readonly task: string }) => gate.task)).toEqual(['task 29'])
    expect(faults()).toEqual([])
    await page.close()
  })

  it('is filled in and sent by keyboard alone', async () => {
    const origin = new URL(hub.running.url).origin
    const { page, faults } = await openPage(await signedInto(origin, browser, ada.token), origin)
    await page.goto(`${origin}/${walker.repo}/rollouts`)
    await page.getByText('Add a gate').waitFor()
    await tabTo(page, 'Add a gate')
    await page.keyboard.press('Enter')
    await page.locator('select[name=board]').waitFor()
    await tabTo(page, 'Find a task of the robot')
    await page.keyboard.type('task 07')
    await expect.poll(() => page.locator('select[name=board] option').count()).toBe(1)
    await tabTo(page, 'Interval from')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('62.5')
    await tabTo(page, 'Seeds at least')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('40')
    await page.keyboard.press('Enter')
    await page.getByText(`The gate task 07 on ${arm.repo} is set.`).waitFor()
    // The next key goes on from the form.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${walker.repo}/rollout-gates`)
    const gate = json.gates.find((one: { readonly task: string }) => one.task === 'task 07')
    expect(gate).toMatchObject({ least: 0.625, seeds: 40 })
    expect(faults()).toEqual([])
    await page.close()
  })
})
