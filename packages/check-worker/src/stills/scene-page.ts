/** The page without a window that draws a scene, and has a way to nothing but that scene. */
import type { Page, Route } from 'playwright-core'

/** Never looked up: every request of the page is answered here or refused. */
const ORIGIN = 'https://stills.invalid'

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"

/** Where the page fetches its scene. */
export const SCENE_PATH = '/scene'

/** `script`: see `readStillPage`. `scene`: the bytes of `encodeScene`. */
export async function openScenePage(page: Page, script: string, scene: Uint8Array): Promise<void> {
  const files = new Map<string, { readonly contentType: string; readonly body: string | Buffer }>([
    ['/', { contentType: 'text/html', body: '<!doctype html><script type="module" src="/page.js"></script>' }],
    ['/page.js', { contentType: 'text/javascript', body: script }],
    [
      SCENE_PATH,
      { contentType: 'application/octet-stream', body: Buffer.from(scene.buffer, scene.byteOffset, scene.length) },
    ],
  ])
  await page.route('**/*', (route: Route) => {
    const { origin, pathname } = new URL(route.request().url())
    const file = origin === ORIGIN ? files.get(pathname) : undefined
    return file ? route.fulfill({ ...file, headers: { 'content-security-policy': POLICY } }) : route.abort()
  })
  await page.goto(`${ORIGIN}/`, { timeout: 0 })
}

/** Playwright's errors have a log of many lines. */
export const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
