// @module-tag full
/** A run of more metrics than one answer has room for, in Chromium: each has its chart, however far one goes. */
import type { Browser } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub } from '../../support/hub.ts'
import { noBrowser, openBrowser, openPage, signedInto } from '../support/browser.ts'

const METRICS = 230
const name = (index: number) => `metric_${String(index).padStart(3, '0')}`

describe('the charts of a run in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it('are there for all of its metrics, a page after the other, and go on with the run', async () => {
    const ada = await hub.person()
    const key = await hub.key(ada, { scope: 'train' })
    const start = { recipe: { template: 'act', executor: 'worker' }, worker: 'box' }
    const { id } = (await hub.call(key, 'POST', '/v1/runs/start', start)).json
    const report = async (step: number) => {
      const values = Array.from({ length: METRICS }, (_, index) => [name(index), step * (index + 2)])
      const metrics = [{ step, ...Object.fromEntries(values) }]
      expect((await hub.call(key, 'POST', `/v1/runs/${id}/report`, { metrics })).status).toBe(200)
    }
    for (const step of [1, 2, 3]) await report(step)

    const origin = new URL(hub.running.url).origin
    const context = await signedInto(origin, browser, ada.token)
    const { page, faults } = await openPage(context, origin)
    await page.goto(`${origin}/runs/${id}`)
    await page.getByRole('button', { name: 'Metrics', exact: true }).click()
    const last = name(METRICS - 1)
    const chart = (metric: string, value: number) =>
      page.getByRole('img', { name: new RegExp(`^${metric} over steps.* last ${value.toLocaleString('en')}$`) })
    await page.getByRole('button', { name: `Show more of ${METRICS} charts` }).waitFor()
    const more = page.getByRole('button', { name: /^Show more of/ })
    for (let shown = 24; shown < METRICS; shown += 24) await more.click()
    await chart(last, 3 * (METRICS + 1)).waitFor()
    expect(await page.getByRole('img', { name: / over steps/ }).count()).toBe(METRICS)
    await report(4)
    await chart(last, 4 * (METRICS + 1)).waitFor()
    expect(faults()).toEqual([])
    await context.close()
  })
})
