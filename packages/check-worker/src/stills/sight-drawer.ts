/**
 * What the cameras of a model see, drawn by three.js in a Chromium without a window: the same code as in a page of the
 * hub. One Chromium draws for one process of rollouts; where it ends, its caller starts another.
 */

import type { OpenSights, SeeSights, SightsRequest } from '@hub/robot-view/scene/draw-sights'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { Page } from 'playwright-core'
import { type ChromiumProcess, startChromium } from './chromium-process.ts'
import { firstLine, openScenePage, SCENE_PATH } from './scene-page.ts'
import { readStillPage } from './still-page-script.ts'

/** What drawing for one process may take of the machine. */
export interface SightLimits {
  /** Processor time of each process of Chromium: it ends then. */
  readonly timeS: number
  readonly memoryMiB: number
  /** By the clock: to start, and to draw the pictures of one moment. */
  readonly startMs: number
  readonly drawMs: number
}

export interface SightDrawer {
  /** Chromium with its version, three.js with its own, and what draws for them. */
  readonly drawnBy: string
  /**
   * The pictures of one moment, each as red, green, blue and opacity of each pixel in base64. Rejects with a
   * `CannotDraw`.
   */
  see(request: SightsRequest): Promise<readonly string[]>
  /** Ends Chromium. */
  end(): Promise<void>
}

interface DrawerOptions {
  /** The path of a browser. */
  readonly program: string
  /** The bytes of `encodeScene`, with its light. */
  readonly scene: Uint8Array
  readonly cameras: readonly CameraFacts[]
  readonly limits: SightLimits
  readonly signal: AbortSignal
}

/** As long as a result may say it. */
const MAX_NAME = 200

/** Chromium did not start, has ended or is late: another one may do better. */
export class CannotDraw extends Error {
  override readonly name = 'CannotDraw'
}

/** Rejects with a `CannotDraw`, and with the reason of the signal, which ends it at any time. */
export async function openSightDrawer({ program, signal, limits, ...shown }: DrawerOptions): Promise<SightDrawer> {
  signal.throwIfAborted()
  const script = await readStillPage()
  if (script === null) throw new Error('The page that draws pictures is not built: run `npm run prepare`.')
  const chromium = await startChromium(program, limits).catch((error: unknown) => cannot('start', error))
  const ended = endOf(chromium)
  const onAbort = () => void chromium.end()
  signal.addEventListener('abort', onAbort, { once: true })
  const end = () => {
    signal.removeEventListener('abort', onAbort)
    return chromium.end()
  }
  const answered = async <T>(ms: number, what: string, work: Promise<T>): Promise<T> => {
    try {
      return await Promise.race([within(ms, work), ended.promise])
    } catch (error) {
      signal.throwIfAborted()
      return cannot(what, error)
    }
  }
  try {
    signal.throwIfAborted()
    const page = await answered(limits.startMs, 'start', chromium.browser.newPage())
    page.once('crash', () => ended.reject(new Error('its page crashed.')))
    const renderer = await answered(limits.startMs, 'open the scene', opened(page, script, shown))
    return {
      drawnBy: `Chromium ${chromium.browser.version()}, ${renderer}`.slice(0, MAX_NAME).toWellFormed(),
      see: (request) => answered(limits.drawMs, 'draw', page.evaluate(seen, request)),
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

function cannot(what: string, error: unknown): never {
  throw new CannotDraw(`Chromium did not ${what}: ${firstLine(error)}`, { cause: error })
}

/** Rejects once the browser has ended. */
function endOf({ browser }: ChromiumProcess): PromiseWithResolvers<never> {
  const ended = Promise.withResolvers<never>()
  browser.once('disconnected', () => ended.reject(new Error('it ended.')))
  // It may be refused before it is awaited.
  ended.promise.catch(() => undefined)
  return ended
}

async function opened(page: Page, script: string, { scene, cameras }: Pick<DrawerOptions, 'scene' | 'cameras'>) {
  await openScenePage(page, script, scene)
  return page.evaluate(
    ([path, facts]) => {
      const { openSights } = globalThis as unknown as { openSights: OpenSights }
      return openSights(path, facts)
    },
    [SCENE_PATH, cameras] as const,
  )
}

/** It runs in the page. */
function seen(request: SightsRequest): readonly string[] {
  const { seeSights } = globalThis as unknown as { seeSights: SeeSights }
  return seeSights(request)
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  // It may be refused after the race.
  work.catch(() => undefined)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`it took longer than ${ms / 1000} s.`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
