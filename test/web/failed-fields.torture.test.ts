// @module-tag long
/** Pages in Chromium whose answers lack root fields: each says what failed where it would have been, and never that there is nothing. */
import type { Browser, BrowserContext, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostedFunction } from '../support/hosted-function.ts'
import { contractHub, type Json } from '../support/hub.ts'
import { pageAddresses } from './support/addresses.ts'
import { noBrowser, openBrowser, openPage, settled, signedInto } from './support/browser.ts'
import { type Lab, labSettings, makeLab } from './support/lab.ts'

if (noBrowser !== null) process.stdout.write(`No page is tried with failed fields: ${noBrowser}\n`)

const program = hostedFunction()
afterAll(() => program.remove())

const wordsOf = (field: string) => `The field ${field} failed for this test.`

/** Answers of the hub in which root fields are null, as they are where they failed; `failed` collects their names. */
async function failFields(page: Page, fails: (operation: string, field: string) => boolean): Promise<Set<string>> {
  const failed = new Set<string>()
  await page.route('**/graphql', async (route) => {
    const operation = /^\s*query (\w+)/.exec(String(route.request().postDataJSON().query))?.[1] ?? ''
    const response = await route.fetch()
    const answer = (await response.json()) as { data?: Json; errors?: Json[] }
    const names = Object.keys(answer.data ?? {}).filter((name) => fails(operation, name))
    for (const name of names) failed.add(name)
    const problem = (name: string) => ({ type: '/problems/internal', title: 'Internal error', detail: wordsOf(name) })
    const errors = names.map((name) => ({ message: 'x', path: [name], extensions: { problem: problem(name) } }))
    const data = { ...answer.data, ...Object.fromEntries(names.map((name) => [name, null])) }
    await route.fulfill({ response, json: names.length > 0 ? { data, errors } : answer })
  })
  return failed
}

describe('the pages in Chromium, where root fields fail', needs(noBrowser), () => {
  const hub = contractHub(labSettings(program.command))
  let lab: Lab
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string
  beforeAll(async () => {
    lab = await makeLab(hub)
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    signedIn = await signedInto(origin, browser, lab.ada.token)
  })
  afterAll(() => browser?.close())

  const without = async (path: string, fails: (operation: string, field: string) => boolean) => {
    const { page, faults } = await openPage(signedIn, origin)
    const failed = await failFields(page, fails)
    await page.goto(`${origin}${path}`)
    await expect.poll(() => page.locator('[role=alert], .panel, .empty').count()).toBeGreaterThan(0)
    await expect.poll(() => page.locator('[role=status][aria-label=Loading]').count()).toBe(0)
    return { page, faults, failed }
  }

  it('each page says what failed, and none that there is nothing', async () => {
    const found: Record<string, unknown> = {}
    let tried = 0
    for (const [name, path] of Object.entries(pageAddresses(lab))) {
      if (path === null) continue
      // The bell of the header has no number then, and no words.
      const { page, faults, failed } = await without(path, (operation) => !['session', 'bell'].includes(operation))
      for (const field of failed) {
        tried += 1
        await page.getByText(wordsOf(field)).first().waitFor()
      }
      const wrong = [...faults(), ...(failed.size > 0 ? await page.locator('.empty').allInnerTexts() : [])]
      if (wrong.length > 0) found[name] = wrong
      await page.close()
    }
    expect(found).toEqual({})
    expect(tried).toBeGreaterThan(20)
  })

  it('a page whose ledger failed still has the totals, and one whose totals failed the ledger', async () => {
    const one = await without('/spend', (_operation, field) => field === 'ledger')
    await one.page.getByText(wordsOf('ledger')).waitFor()
    await one.page.getByRole('region', { name: 'Totals' }).waitFor()
    expect(await one.page.getByRole('alert').count()).toBe(1)
    await one.page.close()
    const other = await without('/spend', (_operation, field) => field === 'spendSummary')
    await other.page.getByText(wordsOf('spendSummary')).waitFor()
    await other.page.getByText('Nothing was billed yet').waitFor()
    expect(await other.page.getByRole('alert').count()).toBe(1)
    await other.page.close()
  })

  it('a person whose account cannot be read is told so, not asked to sign in', async () => {
    for (const path of ['/', '/spend', '/settings/keys']) {
      const { page } = await without(path, (operation) => operation === 'session')
      await page.getByText(wordsOf('viewer')).first().waitFor()
      expect([path, await page.getByRole('link', { name: 'Sign in' }).count()]).toEqual([path, 0])
      await page.unroute('**/graphql')
      await page.getByRole('button', { name: 'Try again' }).first().click()
      await page.locator('.account-menu').waitFor()
      await page.close()
    }
  })

  it('a list whose next page failed keeps what it has, and says what failed', async () => {
    const { page } = await openPage(signedIn, origin)
    for (let index = 0; index < 31; index += 1) await hub.repo(lab.ada, { kind: 'dataset' })
    await page.goto(`${origin}/repos`)
    await settled(page)
    const rows = await page.locator('tbody tr').count()
    await failFields(page, (_operation, field) => field === 'repos')
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText(wordsOf('repos')).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(rows)
    await page.close()
  })
})
