/** GraphiQL in a browser, without any other host: what a person does with it. Contract, "GraphiQL". */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import { type Browser, type BrowserContext, chromium, type Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { isTorture } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SESSION_COOKIE } from '../../src/auth/cookie.ts'
import { examples } from '../../src/http/graphiql/examples.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'

const found = await findChromium(process.env.HUB_TEST_CHROMIUM, process.env.PATH)
const skipped = !isTorture ? 'in `npm run test:torture` alone' : 'missing' in found && found.missing
/** Looked at by people: in the folder of the test run's output. */
const shots = join(import.meta.dirname, '../../test-output/graphiql')

describe('GraphiQL', needs(skipped), () => {
  const hub = contractHub()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let ada: Person
  /** Requests to anywhere but the hub, and what the page complains of. */
  const elsewhere: string[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    ada = await hub.person()
    const program = 'program' in found ? found.program : ''
    browser = await chromium.launch({
      executablePath: program,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      timeout: 100_000,
    })
    context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
    await context.route('**/*', (route) => {
      if (new URL(route.request().url()).origin === hub.running.url) return route.continue()
      elsewhere.push(route.request().url())
      return route.abort()
    })
    page = await context.newPage()
    page.setDefaultTimeout(100_000)
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text())
    })
    await mkdir(shots, { recursive: true })
  })
  afterAll(() => browser?.close())

  const open = (query = '') => page.goto(`${hub.running.url}/graphql${query && `?query=${encodeURIComponent(query)}`}`)
  const who = (text: string) => page.locator('#hub-who', { hasText: text }).waitFor()
  const run = () => page.getByRole('button', { name: /Execute query/ }).click()
  /** The editor has spaces that do not break. */
  const result = async () => ((await page.locator('.result-window').textContent()) ?? '').replaceAll('\u00a0', ' ')
  const shows = (text: string) => expect.poll(result, { timeout: 100_000 }).toContain(text)
  /** As the menu opens an example, with other variables. */
  async function openTab(name: string, variables: Json): Promise<void> {
    const query = examples.find((example) => example.name === name)?.query ?? ''
    await page.evaluate(
      ([query, variables]) => {
        localStorage.setItem('graphiql:query', query ?? '')
        localStorage.setItem('graphiql:variables', variables ?? '')
      },
      [query, JSON.stringify(variables)],
    )
    await open()
  }

  it('opens with the commonest jobs in tabs, and says that nobody is signed in', async () => {
    await open()
    await who('Not signed in')
    const tabs = page.locator('.graphiql-tab-button')
    await expect.poll(() => tabs.allTextContents()).toEqual(examples.map(({ name }) => name))
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
      '/auth/session?return_to=%2Fgraphql',
    )
    // The variables of the first one are there, too.
    await page.locator('.graphiql-editor-tool', { hasText: '"text"' }).waitFor()
    await page.screenshot({ path: join(shots, 'first-visit.png') })
  })

  it('runs a query as the person who is signed in in the browser', async () => {
    await context.addCookies([{ name: SESSION_COOKIE, value: ada.token, url: hub.running.url }])
    await open('{ viewer { account { handle } kind } }')
    await who(`Signed in as ${ada.handle}`)
    await run()
    await shows(`"handle": "${ada.handle}"`)
  })

  it('runs a mutation', async () => {
    const slug = newName('arm')
    await open(`mutation { createRepo(input: { kind: ROBOT, slug: "${slug}" }) { repo { fullName } } }`)
    await run()
    await shows(`"fullName": "${ada.handle}/${slug}"`)
    expect((await hub.call(ada, 'GET', `/v1/repos/${ada.handle}/${slug}`)).status).toBe(200)
  })

  it('follows a run that the API starts, live, to its end', async () => {
    const key = await hub.key(ada, { scope: 'train' })
    const made = await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    await hub.call(key, 'POST', `/v1/runs/${made.json.id}/claim`, { worker: 'box' })
    const report = (body: Json) => hub.call(key, 'POST', `/v1/runs/${made.json.id}/report`, body)
    await openTab('FollowLog', { runId: made.json.id })
    await who(`Signed in as ${ada.handle}`)
    await run()
    await page.getByRole('button', { name: /Stop query/ }).waitFor()
    await report({ log_chunk: 'the first line\n' })
    await shows('the first line')
    await page.screenshot({ path: join(shots, 'live-log.png') })
    await report({ log_chunk: 'the second line\n' })
    await shows('the second line')
    await report({ status: 'succeeded' })
    await shows('"SUCCEEDED"')
    await page.getByRole('button', { name: /Execute query/ }).waitFor()
  })

  it('opens an example from its menu, beside the tabs that are there', async () => {
    await page.getByLabel('Examples').selectOption({ label: 'Find a robot and its card' })
    await who(`Signed in as ${ada.handle}`)
    await page.locator('.graphiql-tab-active', { hasText: 'FindRobot' }).waitFor()
    await run()
    await shows('"fullName"')
  })

  it('asks with a pasted key on this page alone, and keeps it nowhere', async () => {
    const key = await hub.key(ada, { scope: 'read', name: 'my laptop' })
    await page.getByLabel('API key to ask with').fill(key)
    await page.getByRole('button', { name: 'Use key' }).click()
    await who(`Key my laptop of ${ada.handle}`)
    const stored = () =>
      page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))
    expect(await stored()).not.toContain(key)
    await page.reload()
    await who(`Signed in as ${ada.handle}`)
    await page.getByLabel('API key to ask with').fill('hub_wrong')
    await page.getByRole('button', { name: 'Use key' }).click()
    await who('unknown, expired or revoked')
    await page.getByRole('button', { name: 'Forget key' }).click()
    await who(`Signed in as ${ada.handle}`)
  })

  it('shows question and answer of a phone below each other, each as wide as there is room', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await open()
    const answer = page.locator('.graphiql-response')
    await answer.waitFor()
    const widthOf = (part: string) =>
      page.locator(part).evaluate((element) => Math.round(element.getBoundingClientRect().width))
    await expect.poll(() => widthOf('.graphiql-response')).toBeGreaterThan(200)
    expect(await widthOf('.graphiql-editors')).toBeGreaterThan(200)
    expect(await page.locator('.graphiql-logo').isVisible()).toBe(false)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await page.setViewportSize({ width: 1400, height: 900 })
  })

  it('has the documentation of the graph', async () => {
    await page.getByRole('button', { name: /Show Documentation Explorer/ }).click()
    await page.getByText('Root Types').waitFor()
    await page.screenshot({ path: join(shots, 'documentation.png') })
  })

  it('asked no other host, and its policy refused nothing', () => {
    expect(elsewhere).toEqual([])
    expect(complaints).toEqual([])
  })
})
