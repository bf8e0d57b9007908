/**
 * Two pictures of a robot, drawn by three.js in a browser without a window. Whatever goes wrong, the answer is a value:
 * a check does not fail for a picture.
 */

import type { DrawnStills, DrawStills } from '@hub/robot-view/scene/draw-stills'
import type { Page } from 'playwright-core'
import { type ChromiumProcess, startChromium } from './chromium-process.ts'
import { type StillsLimits, stillsLimits } from './limits.ts'
import { firstLine, openScenePage, SCENE_PATH } from './scene-page.ts'
import { readStillPage } from './still-page-script.ts'

export interface StillsRequest {
  /** The bytes of `encodeScene`. */
  readonly scene: Uint8Array<ArrayBuffer>
  /** The path of a browser. */
  readonly program: string
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  readonly limits?: StillsLimits
}

/** Two PNGs, or why there are none. */
export type Stills = { readonly light: Uint8Array; readonly dark: Uint8Array } | { readonly skipped: string }

const WIDTH = 1024
const HEIGHT = 768

/** Rejects with `signal`'s reason alone. */
export async function renderStills(request: StillsRequest): Promise<Stills> {
  const { signal, limits = stillsLimits } = request
  signal.throwIfAborted()
  const page = await readStillPage()
  if (page === null) return { skipped: 'The page that draws stills is not built: run `npm run prepare`.' }
  try {
    return await drawn(page, request, limits)
  } catch (error) {
    signal.throwIfAborted()
    return { skipped: `Chromium did not draw them: ${firstLine(error)}` }
  }
}

async function drawn(script: string, request: StillsRequest, limits: StillsLimits): Promise<Stills> {
  const { scene, program, signal, log } = request
  const began = performance.now()
  const stopped = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => stopped.reject(new Error(`it took longer than ${limits.timeS} s.`)),
    1_000 * limits.timeS,
  )
  const onAbort = () => stopped.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  // It may be refused before it is awaited.
  stopped.promise.catch(() => undefined)
  let chromium: ChromiumProcess | null = null
  try {
    // It takes seconds, in which nothing else is said.
    log('stills: drawing')
    chromium = await startChromium(program, limits)
    signal.throwIfAborted()
    chromium.browser.once('disconnected', () => stopped.reject(new Error('it ended before it was done.')))
    const page = await chromium.browser.newPage()
    page.once('crash', () => stopped.reject(new Error('the page crashed.')))
    const { light, dark } = await Promise.race([draw(page, script, scene), stopped.promise])
    const stills = { light: pngOf(light), dark: pngOf(dark) }
    const largest = Math.max(stills.light.length, stills.dark.length)
    if (largest > limits.pngBytes)
      return { skipped: `A picture has ${largest} bytes; ${limits.pngBytes} is the limit.` }
    log(`stills: drawn in ${Math.round(performance.now() - began)} ms`)
    return stills
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await chromium?.end()
  }
}

async function draw(page: Page, script: string, scene: Uint8Array): Promise<DrawnStills> {
  await openScenePage(page, script, scene)
  return page.evaluate(
    ([path, width, height]) => {
      const { drawStills } = globalThis as unknown as { drawStills: DrawStills }
      return drawStills(path, width, height)
    },
    [SCENE_PATH, WIDTH, HEIGHT] as const,
  )
}

const PREFIX = 'data:image/png;base64,'

function pngOf(address: string): Uint8Array {
  if (!address.startsWith(PREFIX)) throw new Error('the page answered no picture.')
  return Buffer.from(address.slice(PREFIX.length), 'base64')
}
