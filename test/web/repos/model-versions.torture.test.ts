// @module-tag long
/** Two versions of a model in Chromium: one click from its page to runs, results and files. */
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcomes, rolloutsOf } from '../../rollouts/support.ts'
import { contractHub, type Json, type Person } from '../../support/hub.ts'
import { fitsScreens, noBrowser, openBrowser, openPage, signedInto } from '../support/browser.ts'

describe('versions of a model in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  const { robot, publish } = rolloutsOf(hub)
  let ada: Person
  let repo: string
  let arm: Awaited<ReturnType<typeof robot>>
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string

  const post = async (path: string, body: Json): Promise<Json> => {
    const { status, json } = await hub.call(ada, 'POST', path, body)
    expect(status).toBeLessThan(300)
    return json
  }
  /** A version of the model that a run of this name made, and its run. */
  async function versionOf(name: string) {
    const run: string = (await post('/v1/runs/start', { recipe: { template: 'act' }, worker: 'box', name })).id
    const content = Buffer.from(name).toString('base64')
    const commit = { add: [{ path: 'policy.onnx', content }], message: `from ${name}`, run_id: run }
    return { run, version: (await post(`/v1/repos/${repo}/commits`, commit)).commit_id as string }
  }

  let before: Awaited<ReturnType<typeof versionOf>>
  let after: Awaited<ReturnType<typeof versionOf>>
  beforeAll(async () => {
    ada = await hub.person()
    repo = await hub.repo(ada, { kind: 'model', visibility: 'public' })
    arm = await robot(ada)
    before = await versionOf('Slow walker')
    after = await versionOf('Fast walker')
    const failed = Array.from({ length: 20 }, (_, at) => at + 1)
    for (const [version, of] of [
      [before.version, outcomes(40, failed)],
      [after.version, outcomes(40, [40])],
    ] as const)
      expect((await publish(ada, { repo, version }, arm, { outcomes: of })).status).toBe(200)
    await post(`/v1/repos/${repo}/snapshots`, { name: 'slow', at: before.version })
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    signedIn = await signedInto(origin, browser, ada.token)
  })
  afterAll(() => browser?.close())

  it('are one click from its page: the runs that made them, their results, their files', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}`)
    await page.getByText('Fast walker after Slow walker: runs, results and files.').waitFor()
    await page.getByRole('link', { name: 'Compare with the version before' }).click()
    await page.waitForURL(`**/${repo}/compare?from=${before.version}&to=${after.version}`)
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText('Slow walker').waitFor()
    await expect
      .poll(() => runs.getByRole('listitem').allTextContents())
      .toEqual([expect.stringContaining('made by Slow walker'), expect.stringContaining('made by Fast walker')])
    const board = page.getByRole('region', { name: `swing-up on ${arm.repo}` })
    await board.getByText('The intervals do not touch: the later version succeeds more often.').waitFor()
    await expect
      .poll(() => board.getByRole('row').allTextContents())
      .toEqual([
        expect.anything(),
        expect.stringMatching(/^From20 of 4035\.2 % to 64\.8 %/),
        expect.stringMatching(/^To39 of 4087\.1 % to 99\.6 %/),
      ])
    await board.getByText(`Seed 1: ${after.version.slice(0, 7)} succeeds`).waitFor()
    await page.getByRole('region', { name: 'Changed files' }).or(page.getByText('policy.onnx')).first().waitFor()
    await fitsScreens(page, 'model-versions')
    await runs.getByRole('link', { name: 'What changed between the runs that made them' }).click()
    await page.waitForURL(`**/runs?compare=${before.run}*${after.run}`)
    await page.getByText('2 runs compared').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('name no run to a person who does not see it, and say so', async () => {
    const stranger = await browser.newContext()
    const { page, faults } = await openPage(stranger, origin)
    await page.goto(`${origin}/${repo}/compare?from=slow&to=${after.version}`)
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText('no run that you can see is on record').first().waitFor()
    expect(await runs.textContent()).not.toMatch(/walker/)
    await page.getByText('The intervals do not touch').waitFor()
    expect(faults()).toEqual([])
    await stranger.close()
  })
})
