/**
 * What the pages cost, in Chromium: `npm run bench:pages`. Bytes of script, time to a useful page, a run of 200,000 metrics lines while one zooms and moves, and the
 * heap of a page that follows an hour of log. Prints the tables of docs/performance.md, "Pages".
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import { type Browser, type BrowserContext, chromium, type Page } from '@hub/testing/browser'
import { SESSION_COOKIE } from '../../src/auth/cookie.ts'
import { statements } from '../web/support/statements.ts'
import { median } from './measure.ts'
import { openPagesLab, type PagesLab } from './pages-lab.ts'

const POINTS = 200_000
const LOADS = 3
/** An hour of 20 lines a second. */
const LOG_LINES = 72_000
const LINES_PER_REPORT = 500
/** Of the log that is scrolled and searched. */
const LONG_LOG_LINES = 100_000
const MIB = 1024 * 1024
/** For a machine that does other work. */
const TIMEOUT_MS = 180_000

const found = await findChromium(process.env.HUB_TEST_CHROMIUM, process.env.PATH)
if ('missing' in found) throw new Error(found.missing)
printBytes()
console.log(
  `\nStatements: ${Object.entries(statements)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}\n`,
)
const lab = await openPagesLab(POINTS)
/** WebGL by the processor, for robots. What is flat is drawn without it, as fast as where there is a graphics card. */
const webgl = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
const launch = (flags: readonly string[]) =>
  chromium.launch({
    executablePath: found.program,
    args: [
      ...flags,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      // `gc()` in pages: a heap is measured without what is only waiting to be collected.
      '--js-flags=--expose-gc',
    ],
  })
const flat = await launch(['--disable-gpu'])
const solid = await launch(webgl)
try {
  await printCharts(flat, lab)
  await printLog(flat, lab)
  await printLoads(flat, solid, lab)
} finally {
  await Promise.all([flat.close(), solid.close()])
  await lab.stop()
}

/** Gzipped script of the first page, and of each chunk that is loaded later, from 3 KB. */
function printBytes(): void {
  const built = join(import.meta.dirname, '../../generated/web')
  const html = readFileSync(join(built, 'index.html'), 'utf8')
  const size = (name: string) => gzipSync(readFileSync(join(built, 'assets', name))).byteLength
  const scripts = readdirSync(join(built, 'assets')).filter((name) => name.endsWith('.js'))
  const first = scripts.filter((name) => html.includes(`/assets/${name}`))
  const later = scripts
    .filter((name) => !first.includes(name))
    .map((name) => ({ name: name.replace(/-[\w-]{8}\.js$/, ''), bytes: size(name) }))
    .toSorted((a, b) => b.bytes - a.bytes)
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1)
  console.log('| script | KB, gzipped |\n|---|---|')
  console.log(`| first page (${first.length} files) | ${kilobytes(first.reduce((sum, name) => sum + size(name), 0))} |`)
  const large = later.filter(({ bytes }) => bytes >= 3000)
  for (const { name, bytes } of large) console.log(`| ${name} | ${kilobytes(bytes)} |`)
  const rest = later.slice(large.length)
  console.log(`| ${rest.length} more, together | ${kilobytes(rest.reduce((sum, { bytes }) => sum + bytes, 0))} |`)
}

async function signedIn(to: Browser, { url, session }: PagesLab): Promise<BrowserContext> {
  const context = await to.newContext({ viewport: { width: 1280, height: 800 } })
  await context.addCookies([{ name: SESSION_COOKIE, value: session, url }])
  context.setDefaultTimeout(TIMEOUT_MS)
  // The moment at which a page first has its heading and its content, and waits for nothing.
  await context.addInitScript(() => {
    const look = () => {
      const isThere = document.querySelector('h1') && !document.querySelector('[role=status][aria-label=Loading]')
      // A robot is useful when it stands there and can be moved.
      const isRobot = location.pathname.endsWith('/robot')
      const isUseful =
        isThere && (!isRobot || [...document.querySelectorAll('button')].some((one) => one.textContent === 'Simulate'))
      if (isUseful) performance.mark('useful')
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  return context
}

async function printLoads(to: Browser, toRobots: Browser, of: PagesLab): Promise<void> {
  const pages = [
    ['home', '/'],
    ['repo', `/${of.repo}`],
    ['run', `/runs/${of.long}`],
    ['robot', `/${of.robot}/robot`],
  ] as const
  console.log(
    '| page | first paint, cold | useful, cold | useful, cached | requests, cold | KB, cold |\n|---|---|---|---|---|---|',
  )
  for (const [name, path] of pages) {
    const cold: Load[] = []
    const cached: Load[] = []
    for (let n = 0; n < LOADS; n += 1) {
      const context = await signedIn(name === 'robot' ? toRobots : to, of)
      const page = await context.newPage()
      cold.push(await load(page, of.url + path))
      cached.push(await load(page, of.url + path))
      await context.close()
    }
    const of_ = (loads: readonly Load[], pick: (one: Load) => number) => Math.round(median(loads.map(pick)))
    console.log(
      `| ${name} | ${of_(cold, ({ painted }) => painted)} ms | ${of_(cold, ({ useful }) => useful)} ms | ${of_(cached, ({ useful }) => useful)} ms | ${of_(cold, ({ requests }) => requests)} | ${of_(cold, ({ bytes }) => bytes / 1000)} |`,
    )
  }
}

interface Load {
  readonly painted: number
  readonly useful: number
  readonly requests: number
  readonly bytes: number
}

async function load(page: Page, url: string): Promise<Load> {
  await page.goto(url, { waitUntil: 'load' })
  await page.waitForFunction(() => performance.getEntriesByName('useful').length > 0)
  return page.evaluate(() => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    return {
      painted: performance.getEntriesByType('paint').at(-1)?.startTime ?? Number.NaN,
      useful: performance.getEntriesByName('useful')[0]?.startTime ?? Number.NaN,
      requests: entries.length + 1,
      bytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0),
    }
  })
}

async function printCharts(to: Browser, of: PagesLab): Promise<void> {
  const context = await signedIn(to, of)
  const page = await context.newPage()
  const began = performance.now()
  await page.goto(`${of.url}/runs/${of.long}?part=metrics`)
  await page.locator('.chart canvas').nth(3).waitFor()
  const drawn = performance.now() - began
  const highest = await page.locator('.chart [role=img][aria-label^=reward]').getAttribute('aria-label')
  if (!highest?.includes('to 100,')) throw new Error(`The spike is lost: ${highest}`)
  console.log('\n| a run of 200,000 lines of 4 metrics | ms |\n|---|---|')
  console.log(`| from its address to 4 charts | ${Math.round(drawn)} |`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const frames = await framesWhile(page, async () => {
    for (let n = 0; n < 8; n += 1) await press('Zoom in')
    for (let n = 0; n < 8; n += 1) await press(n % 2 ? 'Later' : 'Earlier')
    for (let n = 0; n < 4; n += 1) await press('Zoom out')
  })
  printFrames('zooming and moving, a frame of 4 charts', frames)
  await press('Show all')
  const parts: number[] = []
  for (let n = 0; n < 6; n += 1) {
    const from = performance.now()
    await press('Zoom in')
    await page.getByText('Loading all points').waitFor({ state: 'detached' })
    parts.push(performance.now() - from)
  }
  console.log(
    `| a part of them with all its points, each half as long as the one before | ${parts.map(Math.round).join(', ')} |`,
  )
  await page.getByLabel('Smoothing').fill('0.9')
  await press('Show all')
  const chart = await page.locator('.chart .u-over').first().boundingBox()
  if (!chart) throw new Error('There is no chart.')
  const moved = await framesWhile(page, async () => {
    for (let x = 0; x < 100; x += 1) await page.mouse.move(chart.x + (chart.width * x) / 100, chart.y + 50)
  })
  printFrames('the cursor over smooth curves, a frame of 4 charts', moved)
  await page.screenshot({ path: 'test-output/pages/charts-200000.png' })
  await context.close()
}

/** Milliseconds between frames while something is done. */
async function framesWhile(page: Page, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const seen: number[] = []
    Object.assign(globalThis, { seenFrames: seen })
    let last = performance.now()
    const tick = (now: number) => {
      seen.push(now - last)
      last = now
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await work()
  return page.evaluate(() => (globalThis as unknown as { seenFrames: number[] }).seenFrames.slice(1))
}

function printFrames(what: string, frames: readonly number[]): void {
  const sorted = frames.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(0)
  console.log(`| ${what}: median, 95 %, longest of ${frames.length} | ${at(0.5)}, ${at(0.95)}, ${at(1)} |`)
}

async function printLog(to: Browser, of: PagesLab): Promise<void> {
  const context = await signedIn(to, of)
  const page = await context.newPage()
  await page.goto(`${of.url}/runs/${of.live}`)
  await page.locator('.log').waitFor()
  const heap = async () => {
    await page.evaluate(() => (globalThis as unknown as { gc(): void }).gc())
    const session = await context.newCDPSession(page)
    const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number }
    await session.detach()
    return `${(usedSize / MIB).toFixed(1)} MiB, ${await page.evaluate(() => document.querySelectorAll('*').length)} elements`
  }
  console.log(`\n| a live log, lines so far | heap after a collection |\n|---|---|\n| 0 | ${await heap()} |`)
  const marks = [0.1, 0.5, 1].map((share) => share * LOG_LINES)
  let sent = 0
  const send = async (until: number) => {
    for (let seq = sent / LINES_PER_REPORT + 1; sent < until; seq += 1) {
      const lines = Array.from({ length: LINES_PER_REPORT }, (_, n) => logLine(sent + n))
      await of.report({ log_chunk: lines.join(''), log_seq: seq, metrics: [{ step: sent, loss: 1 / (sent + 1) }] })
      sent += LINES_PER_REPORT
    }
    await page.getByText(`iteration ${sent - 1}:`).waitFor()
  }
  for (const mark of [...marks, LONG_LOG_LINES]) {
    await send(mark)
    console.log(`| ${sent.toLocaleString('en-US')} | ${await heap()} |`)
  }
  console.log(`\n| a log of ${LONG_LOG_LINES.toLocaleString('en-US')} lines | ms |\n|---|---|`)
  const scrolled = await framesWhile(page, () =>
    page.locator('.log').evaluate(async (box) => {
      for (let n = 0; n < 60; n += 1) {
        box.scrollTop = (box.scrollHeight * ((n * 37) % 60)) / 60
        await new Promise(requestAnimationFrame)
      }
    }),
  )
  printFrames('jumping through it, a frame', scrolled)
  let from = performance.now()
  await page.getByRole('button', { name: 'To the end' }).click()
  await page.getByText(`iteration ${sent - 1}:`).waitFor()
  console.log(`| to its end | ${Math.round(performance.now() - from)} |`)
  from = performance.now()
  await page.getByRole('searchbox').fill(`iteration ${sent - 1}`)
  await page.getByText(/^1 of /).waitFor()
  console.log(`| a search that finds one line | ${Math.round(performance.now() - from)} |`)
  await page.screenshot({ path: 'test-output/pages/log-100000.png' })
  await context.close()
}

function logLine(n: number): string {
  return `\u001b[32miteration ${n}:\u001b[0m loss ${(1 / (n + 1)).toFixed(6)} reward 12.5, 4096 samples/s on the arm\n`
}
