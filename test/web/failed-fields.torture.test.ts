// @module-tag long
/** Pages in Chromium whose answers lack root fields: each says what failed where it would have been, and never that there is nothing. */
import type { Browser, BrowserContext, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostedFunction } from '../support/hosted-function.ts'
import { contractHub } from '../support/hub.ts'
import { pageAddresses } from './support/addresses.ts'
import { noBrowser, openBrowser, openPage, settled, signedInto } from './support/browser.ts'
import { type Lab, labSettings, makeLab } from './support/lab.ts'

if (noBrowser !== null) process.stdout.write(`No page is tried with failed fields: ${noBrowser}\n`)

const program = hostedFunction()
afterAll(() => program.remove())

const wordsOf = (field: string) => `The field ${field} failed for this test.`

/** In the page, before its own scripts: its `fetch` has the answers of `/graphql` from the hub, without the root fields that fail. */
function failAnswers(): void {
  const fetched = globalThis.fetch
  const id = crypto.randomUUID()
  const page = globalThis as unknown as InPage
  page.documentId = id
  globalThis.fetch = async (input, init) => {
    const response = await fetched(input, init)
    if (new URL(response.url).pathname !== '/graphql') return response
    const operation = /^\s*query (\w+)/.exec(JSON.parse(String(init?.body)).query)?.[1] ?? ''
    const text = await response.text()
    const answer = JSON.parse(text)
    const errors = await page.errorsOf(id, operation, Object.keys(answer.data ?? {}))
    const data = { ...answer.data, ...Object.fromEntries(errors.map(({ path: [name] }) => [name, null])) }
    return new Response(errors.length > 0 ? JSON.stringify({ data, errors }) : text, response)
  }
}

interface InPage {
  documentId: string
  errorsOf(id: string, operation: string, names: readonly string[]): Promise<{ readonly path: readonly [string] }[]>
}

/**
 * Root fields of the hub's answers are null in the page's next documents, as they are where they failed. Returns the
 * names of those of the document that is shown. Playwright's `route` would do the same, and keep the browser from all
 * that it has cached.
 */
async function failFields(page: Page, fails: (operation: string, field: string) => boolean) {
  const failed = new Map<string, Set<string>>()
  const problem = (name: string) => ({ type: '/problems/internal', title: 'Internal error', detail: wordsOf(name) })
  await page.exposeFunction('errorsOf', (id: string, operation: string, names: string[]) => {
    const failing = names.filter((name) => fails(operation, name))
    failed.set(id, new Set([...(failed.get(id) ?? []), ...failing]))
    return failing.map((name) => ({ message: 'x', path: [name], extensions: { problem: problem(name) } }))
  })
  await page.addInitScript(failAnswers)
  return async () => failed.get(await page.evaluate(() => (globalThis as unknown as InPage).documentId)) ?? new Set()
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

  const failingPage = async (fails: (operation: string, field: string) => boolean) => {
    const { page, faults } = await openPage(signedIn, origin)
    const failed = await failFields(page, fails)
    const show = async (path: string) => {
      await page.goto(`${origin}${path}`)
      await expect.poll(() => page.locator('[role=alert], .panel, .empty').count()).toBeGreaterThan(0)
      await expect.poll(() => page.locator('[role=status][aria-label=Loading]').count()).toBe(0)
    }
    return { page, faults, failed, show }
  }

  it('each page says what failed, and none that there is nothing', { timeout: 900_000 }, async () => {
    const found: Record<string, unknown> = {}
    let tried = 0
    // The bell of the header has no number then, and no words.
    const fails = (operation: string) => !['session', 'bell'].includes(operation)
    // One page for all: a new one costs the browser twice as much as what it shows.
    const { page, faults, failed, show } = await failingPage(fails)
    for (const [name, path] of Object.entries(pageAddresses(lab))) {
      if (path === null) continue
      await show(path)
      const fields = await failed()
      for (const field of fields) {
        tried += 1
        await page.getByText(wordsOf(field)).first().waitFor()
      }
      const wrong = [...faults(), ...(fields.size > 0 ? await page.locator('.empty').allInnerTexts() : [])]
      if (wrong.length > 0) found[name] = wrong
    }
    await page.close()
    expect(found).toEqual({})
    expect(tried).toBeGreaterThan(20)
  })

  it('a page whose ledger failed still has the totals, and one whose totals failed the ledger', async () => {
    const one = await failingPage((_operation, field) => field === 'ledger')
    await one.show('/spend')
    await one.page.getByText(wordsOf('ledger')).waitFor()
    await one.page.getByRole('region', { name: 'Totals' }).waitFor()
    expect(await one.page.getByRole('alert').count()).toBe(1)
    await one.page.close()
    const other = await failingPage((_operation, field) => field === 'spendSummary')
    await other.show('/spend')
    await other.page.getByText(wordsOf('spendSummary')).waitFor()
    await other.page.getByText('Nothing was billed yet').waitFor()
    expect(await other.page.getByRole('alert').count()).toBe(1)
    await other.page.close()
  })

  it('a person whose account cannot be read is told so, not asked to sign in', async () => {
    let isBroken = true
    const { page, show } = await failingPage((operation) => isBroken && operation === 'session')
    for (const path of ['/', '/spend', '/settings/keys']) {
      isBroken = true
      await show(path)
      await page.getByText(wordsOf('viewer')).first().waitFor()
      expect([path, await page.getByRole('link', { name: 'Sign in' }).count()]).toEqual([path, 0])
      isBroken = false
      await page.getByRole('button', { name: 'Try again' }).first().click()
      await page.locator('.account-menu').waitFor()
    }
    await page.close()
  })

  it('a visitor is welcomed and shown what is public: that no one is signed in is no failure', async () => {
    const open = await hub.repo(lab.ada, { visibility: 'public' })
    const visitor = await browser.newContext()
    const { page } = await openPage(visitor, origin)
    await page.goto(origin)
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.locator(`a[href="/${open}"]`).first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await visitor.close()
  })

  it('a list whose next page failed keeps what it has, and says what failed', async () => {
    let isBroken = false
    const { page, show } = await failingPage((_operation, field) => isBroken && field === 'repos')
    for (let index = 0; index < 31; index += 1) await hub.repo(lab.ada, { kind: 'dataset' })
    await show('/repos')
    await settled(page)
    const rows = await page.locator('tbody tr').count()
    isBroken = true
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText(wordsOf('repos')).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(rows)
    await page.close()
  })
})
