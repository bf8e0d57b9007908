/**
 * A picture and a short video of an episode on its robot, as the page of the episode makes them, or that of a recorded
 * rollout: one place draws a replay, so a picture of a worker is the one that a person saves.
 */
import { readFile } from 'node:fs/promises'
import { filmSpeed } from '@hub/formats/film-speed'
import type { Browser, Download, Locator, Page } from 'playwright-core'
import { startChromium } from '../stills/chromium-process.ts'

/** What is filmed, and with what. */
interface FilmRequest {
  /** The path of a browser. */
  readonly program: string
  /** The address of the hub. */
  readonly hub: string
  /** An API key; null for a hub's public data sets. */
  readonly token: string | null
  /** The path and query of the page of the episode, or of the recorded rollout. */
  readonly path: string
  readonly frame: number
  readonly video: boolean
  /** Of the picture; as large as the page shows it if absent. */
  readonly size?: { readonly width: number; readonly height: number }
  /** An episode that is longer, in seconds, plays so much faster; it plays as it was if absent. */
  readonly mostS?: number
  readonly signal: AbortSignal
}

/** PNG, and WebM or MP4; null where no video was asked for. */
interface EpisodeFilm {
  readonly still: Uint8Array
  readonly video: Uint8Array | null
}

/** Why a page made no picture, in words. */
export class CannotFilm extends Error {
  override readonly name = 'CannotFilm'
}

/** MuJoCo and a robot are megabytes; software draws some frames a second. */
const SHOWN_MS = 120_000
/** A page that draws by the processor answers late. */
const SAID_MS = 30_000
/** The page records the first minute at most. */
const FILMED_MS = 180_000
const limits = { timeS: 900, memoryMiB: 4096 }

/** Rejects with `CannotFilm`, or the reason of `signal`. */
export async function filmEpisode(request: FilmRequest): Promise<EpisodeFilm> {
  const { program, signal } = request
  signal.throwIfAborted()
  const chromium = await startChromium(program, limits, 'open')
  const onAbort = () => void chromium.end()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    return await filmed(await openPage(chromium.browser, request), request)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CannotFilm) throw error
    const line = (error instanceof Error ? error.message : String(error)).split('\n')[0]
    throw new CannotFilm(`Chromium made no picture: ${line}`, { cause: error })
  } finally {
    signal.removeEventListener('abort', onAbort)
    await chromium.end()
  }
}

/** The key goes to the hub's API alone: an object store would refuse it, and must not have it. */
async function openPage(browser: Browser, { hub, token, path }: FilmRequest): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const { origin } = new URL(hub)
  await context.route(
    (url) => url.origin === origin && /^\/(graphql|v1)(\/|$)/.test(url.pathname) && !isSentOn(url.pathname),
    (route) => {
      const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
      return route.continue({ headers: { ...route.request().headers(), ...authorization } })
    },
  )
  const page = await context.newPage()
  await page.goto(new URL(path, hub).href)
  return page
}

/** These answer with the address of the object store, and a browser would send the key along. */
const isSentOn = (path: string) => path.includes('/resolve/')

async function filmed(page: Page, request: FilmRequest): Promise<EpisodeFilm> {
  await shown(page, request)
  const still = await saved(page, 'Save picture', SHOWN_MS)
  if (!request.video) return { still, video: null }
  await faster(page, request)
  return { still, video: await saved(page, 'Save video', FILMED_MS) }
}

/** A link may have any speed: the page is opened again with the one that makes the episode short enough. */
async function faster(page: Page, request: FilmRequest): Promise<void> {
  const time = page.getByRole('group', { name: 'Playback' }).getByRole('slider')
  const speed = filmSpeed(Number(await time.getAttribute('max')), request.mostS ?? Number.POSITIVE_INFINITY)
  if (speed === 1) return
  const address = new URL(page.url())
  address.searchParams.set('speed', speed.toFixed(3))
  await page.goto(address.href)
  await shown(page, request)
}

/** Waits until the robot is seen at the frame, in its size. */
async function shown(page: Page, { path, frame, size }: FilmRequest): Promise<void> {
  const stage = page.locator(`.episode-stage[data-frame="${frame}"]`).first()
  const seen = stage.waitFor({ timeout: SHOWN_MS }).then(
    () => null,
    async () => `The page shows no robot at this frame. It says: ${await textOf(page.locator('main'))}`,
  )
  const why = await Promise.race([seen, pastTheEnd(page, path, frame), refusedBy(page)])
  if (why !== null) throw new CannotFilm(why)
  if (!size) return
  // The policy of the pages allows no style sheet of others; a style of an element is none.
  await stage.evaluate((node, { width, height }) => {
    const { style } = node as HTMLElement
    style.width = `${width}px`
    style.height = `${height}px`
    style.border = 'none'
  }, size)
  await page.locator(`.episode-stage canvas[width="${size.width}"][height="${size.height}"]`).waitFor({
    ...{ state: 'attached', timeout: SHOWN_MS },
  })
}

/** A page shows the last frame in place of one after it; never ends where the episode has the frame. */
async function pastTheEnd(page: Page, path: string, frame: number): Promise<string> {
  const stage = page.locator('.episode-stage[data-frames]').first()
  await stage.waitFor({ timeout: SHOWN_MS }).catch(never)
  const frames = Number(await stage.getAttribute('data-frames').catch(never))
  if (frame < frames) return never()
  const query = new URLSearchParams(path.slice(path.indexOf('?')))
  const seed = query.get('seed')
  const what = seed === null ? `Episode ${query.get('episode') ?? 0}` : `The motion of seed ${seed}`
  const last = frames - 1
  return `${what} has no frame ${frame}: its last one is ${last}. Give a frame from 0 to ${last}.`
}

/** What a page says of an episode, a motion or a robot that it does not show; never ends where it shows all. */
async function refusedBy(page: Page): Promise<string> {
  const said = page.locator(REFUSALS).filter({ hasText: /\S/ }).first()
  await said.waitFor({ timeout: SHOWN_MS }).catch(never)
  return `The page shows no robot: ${await textOf(said)}`
}

/** Notices of other parts of a page do not matter. */
const REFUSALS = [
  '.viewer-problem',
  '.episode-robot-bar [data-failed]',
  '[aria-label="Recorded rollouts in 3D"] > .notice',
].join(', ')

const never = () => new Promise<never>(() => {})

/** The text of a node without its buttons. It removes them from the page, which is closed afterwards. */
async function textOf(node: Locator): Promise<string> {
  const withoutButtons = (shown: HTMLElement | SVGElement) => {
    for (const button of shown.querySelectorAll('button')) button.remove()
    return 'innerText' in shown ? shown.innerText : ''
  }
  const said = await node.evaluate(withoutButtons, undefined, { timeout: SAID_MS }).catch(() => '')
  return said.replaceAll(/\s+/g, ' ').trim().slice(0, 300).toWellFormed()
}

/** What the page's button saves; what it says instead becomes the reason. */
async function saved(page: Page, name: string, timeout: number): Promise<Uint8Array> {
  const share = page.getByRole('group', { name: 'Share' })
  const download: Promise<Download | null> = page.waitForEvent('download', { timeout }).catch(() => null)
  await share.getByRole('button', { name, exact: true }).click()
  const made = await Promise.race([download, refusalOf(share, timeout)])
  if (made !== null && typeof made !== 'string') return readFile(await made.path())
  throw new CannotFilm(`${name}: ${made ?? `no file after ${timeout / 1000} s.`}`)
}

/** What the page says instead of saving; it never ends where it says that it works, or saved. */
async function refusalOf(share: Locator, timeout: number): Promise<string> {
  const other = share.getByRole('status').filter({ hasText: /^(?!Recording: |Saved).+/ })
  await other.waitFor({ timeout }).catch(never)
  return other.innerText()
}
