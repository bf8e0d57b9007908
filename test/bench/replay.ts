/**
 * What a replay costs, in Chromium: `npm run bench:replay`. Each robot of a folder of real ones (`HUB_SHARED_DIR`) plays
 * an episode that MuJoCo simulated: bytes that were loaded, memory, frames a second. Prints the table of docs/replay.md, "What it costs".
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import { type Browser, type BrowserContext, chromium, type Page } from '@hub/testing/browser'
import { sharedDir } from '@hub/testing/shared'
import { SESSION_COOKIE } from '../../src/auth/cookie.ts'
import { recordedDataset } from '../web/support/lerobot.ts'
import { movedRobot } from '../web/support/moved-robots.ts'
import { openPagesLab, type PagesLab } from './pages-lab.ts'

/** Each is shown on the page as a whole screen would: WebGL by the processor is slower with every pixel. */
const VIEWPORT = { width: 960, height: 640 }
/** More than a picture can have: every frame that is drawn is counted. */
const FPS = 120
const PLAYED_MS = 10_000
const MB = 1e6
/** For a machine that does other work. */
const TIMEOUT_MS = 180_000

const robots = [
  ['so100_urdf', 'so100.urdf'],
  ['trs_so_arm100', 'scene.xml'],
  ['trossen_wx250s', 'scene.xml'],
  ['google_barkour_vb', 'scene.xml'],
  ['bitcraze_crazyflie_2', 'scene.xml'],
] as const

const shared = sharedDir()
if (shared === null)
  throw new Error('There is no folder of robots: name one whose `robots` has them by HUB_SHARED_DIR.')
const found = await findChromium(process.env.HUB_TEST_CHROMIUM, process.env.PATH)
if ('missing' in found) throw new Error(found.missing)
const program = found.program
const lab = await openPagesLab(1)
const dir = await mkdtemp(join(tmpdir(), 'hub-bench-replay-'))
try {
  console.log(
    '| robot | pages and MuJoCo, MB | model, MB | tables, KB | first frame, s | memory, MB | frames/s |\n|---|---|---|---|---|---|---|',
  )
  for (const [folder, entry] of robots) await printRobot(folder, entry)
} finally {
  await lab.stop()
  await rm(dir, { recursive: true, force: true })
}

async function printRobot(folder: string, entry: string): Promise<void> {
  const [robot, dataset] = [folder.replaceAll('_', '-'), `${folder.replaceAll('_', '-')}-moves`]
  await pushMoves(lab, { folder, entry, robot, dataset })
  const browser = await launch()
  try {
    const context = await browser.newContext({ viewport: VIEWPORT })
    await context.addCookies([{ name: SESSION_COOKIE, value: lab.session, url: lab.url }])
    const { page, loaded } = await countedPage(context)
    await page.goto('about:blank')
    const before = await memory()
    const began = performance.now()
    const query = new URLSearchParams({ robot: `bench/${robot}`, model: entry, loop: '1' })
    await page.goto(`${lab.url}/bench/${dataset}/episodes?${query}`)
    await page.locator('.episode-stage[data-frame="0"]').waitFor({ timeout: TIMEOUT_MS })
    const firstMs = performance.now() - began
    const rate = await framesPerSecond(page)
    const held = (await memory()) - before
    const { program: code, tables, model } = loaded()
    console.log(
      `| ${folder} | ${(code / MB).toFixed(1)} | ${(model / MB).toFixed(1)} | ${(tables / 1000).toFixed(0)} | ${(firstMs / 1000).toFixed(1)} | ${(held / MB).toFixed(0)} | ${rate.toFixed(0)} |`,
    )
  } finally {
    await browser.close()
  }
}

interface Moves {
  readonly folder: string
  readonly entry: string
  readonly robot: string
  readonly dataset: string
}

async function pushMoves(to: PagesLab, { folder, entry, robot, dataset }: Moves): Promise<void> {
  const from = join(shared ?? '', 'robots', folder)
  const { recorded } = await movedRobot(await openMujoco(() => undefined), from, entry)
  const files = recordedDataset(3, { ...recorded, fps: FPS })
  for (const [path, bytes] of files) {
    const place = join(dir, dataset, path)
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, bytes)
  }
  await to.push(from, robot, 'robot')
  await to.push(join(dir, dataset), dataset, 'dataset')
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: [
      ...['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-background-networking', '--disable-component-update', '--no-first-run'],
    ],
  })
}

/** A page whose bytes over the network are counted, as they were sent. */
async function countedPage(context: BrowserContext) {
  const page = await context.newPage()
  const sums = { program: 0, tables: 0, model: 0 }
  context.on('requestfinished', async (request) => {
    const sizes = await request.sizes().catch(() => null)
    const { pathname } = new URL(request.url())
    const isProgram = /^\/(assets\/|graphql)|\.(js|css|wasm|html)$|\/episodes$/.test(pathname)
    // Tables alone are read by ranges.
    const part = isProgram ? 'program' : request.headers().range === undefined ? 'model' : 'tables'
    sums[part] += sizes?.responseBodySize ?? 0
  })
  return { page, loaded: () => sums }
}

/** Poses that were shown in ten seconds of play, for each second. */
async function framesPerSecond(page: Page): Promise<number> {
  await page.evaluate(`(() => {
    window.shown = 0
    const stage = document.querySelector('.episode-stage')
    new MutationObserver(() => { window.shown += 1 }).observe(stage, { attributeFilter: ['data-frame'] })
  })()`)
  await page.getByRole('button', { name: 'Play', exact: true }).click({ timeout: TIMEOUT_MS })
  const began = await page.evaluate<readonly [number, number]>('[performance.now(), window.shown]')
  await delay(PLAYED_MS)
  const ended = await page.evaluate<readonly [number, number]>('[performance.now(), window.shown]')
  return (1000 * (ended[1] - began[1])) / (ended[0] - began[0])
}

/** Bytes of all processes of Chromium that this one began; what they share is counted once. */
async function memory(): Promise<number> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  let bytes = 0
  for (const id of processes) {
    const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')
    // What is found may be a script that starts the program.
    if (!/chrom/i.test(command.split('\0')[0] ?? '') || !(await isOwn(id))) continue
    const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '')
    bytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024
  }
  return bytes
}

async function isOwn(id: string): Promise<boolean> {
  for (let at = id; at !== '0' && at !== ''; ) {
    if (Number(at) === process.pid) return true
    const status = await readFile(`/proc/${at}/status`, 'utf8').catch(() => '')
    at = /^PPid:\s+(\d+)/m.exec(status)?.[1] ?? ''
  }
  return false
}
