/** Chromium on a hub of a test: pages that fail the test for an error in the console, a script error, or a request to another site. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from '@hub/testing/browser'
import AxeBuilder from 'axe-core'
import { expect } from 'vitest'

/** Not `HUB_CHROMIUM`, which may be off: stills take minutes of processor time, and pages seconds. */
const found = await findChromium(process.env.HUB_TEST_CHROMIUM, process.env.PATH)
/** Why no browser can be had; null if one can. */
export const noBrowser = 'missing' in found ? found.missing : null

export const output = join(import.meta.dirname, '../../../test-output/pages')
/** As patient as the other tests: it ends what hangs. */
const PATIENCE_MS = 100_000
export const desktop = { width: 1280, height: 800 }
export const phone = { width: 360, height: 740 }

export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('@hub/testing/browser')
  await mkdir(output, { recursive: true })
  return chromium.launch({
    executablePath: 'program' in found ? found.program : '',
    timeout: PATIENCE_MS,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      // WebGL by the processor, alike on every machine.
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-gpu-compositing',
      '--disable-gpu-rasterization',
      // Nothing is asked of anyone.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
}

/** A window of the browser in which a person is signed in, by the token of their session. */
export async function signedInto(
  origin: string,
  browser: Browser,
  token: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: desktop, ...options })
  await context.addCookies([{ name: 'hub_session', value: token, url: origin }])
  return context
}

/**
 * The graph may answer 503 on a busy machine, which Chromium writes to the console. Pages ask again for what they read,
 * and a test fails by what is not shown where they do not.
 */
const isBusy = (message: ConsoleMessage) =>
  message.text().includes('status of 503') && new URL(message.location().url).pathname === '/graphql'

/** A page whose faults are collected; `faults()` are those since the last call. `store`: another site that may be asked. */
export async function openPage(context: BrowserContext, origin: string, store = origin) {
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  let faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !isBusy(message))
      faults.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (/^https?:$/.test(protocol) && asked !== origin && asked !== store)
      faults.push(`asked another site: ${request.url()}`)
  })
  const taken = () => {
    const now = faults
    faults = []
    return now
  }
  return { page, faults: taken }
}

/** What axe finds on the page, in one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Half a megabyte of source, once for each document.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(AxeBuilder.source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }
    // Nothing is gathered of what is right.
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  })
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

/** Whether the page is wider than its window: on a phone nothing may be cut off. */
export const widerBy = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Waits until the page shows its content and no answer is pending. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('h1')
  await expect.poll(() => page.locator('[role=status][aria-label=Loading]').count()).toBe(0)
}

/** Dark on a phone and light on a desktop: pictures of both, nothing is cut off, and axe finds nothing. */
export async function fitsScreens(page: Page, picture: string): Promise<void> {
  await page.setViewportSize({ ...phone, width: 390 })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await settled(page)
  await page.screenshot({ path: join(output, `${picture}-390.png`), fullPage: true })
  expect([picture, await accessibilityFaults(page), await widerBy(page)]).toEqual([picture, [], 0])
  await page.setViewportSize(desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  await settled(page)
  await page.screenshot({ path: join(output, `${picture}-1280.png`), fullPage: true })
  expect([picture, await accessibilityFaults(page)]).toEqual([picture, []])
}
