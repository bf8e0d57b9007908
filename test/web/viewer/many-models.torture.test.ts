/** Models one after another on one page of the robot viewer, written for the purpose: what is left behind, and what a model may do to the page. */
import type { Browser, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub } from '../../support/hub.ts'
import { noBrowser, openBrowser, openPage } from '../support/browser.ts'

const hub = contractHub()

const model = (body: string, before = '') =>
  `<mujoco model="m">${before}<worldbody><geom type="plane" size="0 0 1"/>${body}</worldbody></mujoco>`
const box = '<body name="box" pos="0 0 .5"><joint name="turn" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body>'
const files: Readonly<Record<string, string>> = {
  'first.xml': model(box),
  'second.xml': model(box.replaceAll('box', 'sphere')),
  'crowd.xml': model('<body><replicate count="5001" offset=".1 0 0"><geom size=".01"/></replicate></body>'),
  // A tree of 250,000 shapes: MuJoCo needs minutes for it.
  'endless.xml': model('<body><replicate count="250000" offset=".1 0 0"><geom size=".01"/></replicate></body>'),
  'wide.xml': model(
    '<geom type="hfield" hfield="h"/>',
    '<asset><hfield name="h" nrow="3000" ncol="3000" size="1 1 1 1"/></asset>',
  ),
  'no-number.xml': model(box, '<keyframe><key name="home" qpos="nan"/></keyframe>'),
}

interface Watched {
  /** Held weakly: each holds its canvas, and that the elements around it. */
  readonly contexts: WeakRef<WebGL2RenderingContext>[]
}

let browser: Browser
let page: Page
let faults: () => string[]

/** Most of its time is MuJoCo's, which starts again for each model: `npm run test:viewer` asks for it. */
const isAsked = process.env.HUB_TEST_VIEWER === 'on'

describe(
  'on one page, models one after another',
  needs(noBrowser, !isAsked && 'only `npm run test:viewer` opens them'),
  () => {
    beforeAll(async () => {
      browser = await openBrowser()
      const context = await browser.newContext({ viewport: { width: 640, height: 480 } })
      ;({ page, faults } = await openPage(context, new URL(hub.running.url).origin))
      await page.addInitScript(() => {
        const watched: Watched = { contexts: [] }
        Object.assign(globalThis, { watched })
        const get = HTMLCanvasElement.prototype.getContext
        HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...asked: never[]) {
          const made: unknown = Reflect.apply(get, this, asked)
          const isKnown = watched.contexts.some((one) => one.deref() === made)
          if (made instanceof WebGL2RenderingContext && !isKnown) watched.contexts.push(new WeakRef(made))
          return made as never
        }
      })
      const person = await hub.person()
      const name = await hub.repo(person, { kind: 'robot', visibility: 'public' })
      await hub.upload(person, name, files)
      await page.clock.install()
      await page.goto(new URL(`/${name}/robot`, hub.running.url).href)
    })
    afterAll(() => browser?.close())

    const choose = (entry: string) => page.getByLabel('Model', { exact: true }).selectOption(entry)
    const problem = async (entry: string) => {
      await choose(entry)
      return page.getByRole('alert').innerText()
    }
    const shown = async (entry: string, joint = 'turn') => {
      await choose(entry)
      await page.getByRole('slider', { name: joint, exact: true }).waitFor()
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const liveContexts = () =>
      page.evaluate(() => {
        const { watched } = globalThis as unknown as { watched: Watched }
        return watched.contexts.filter((one) => one.deref()?.isContextLost() === false).length
      })
    const elements = async () => {
      const session = await page.context().newCDPSession(page)
      await session.send('HeapProfiler.collectGarbage')
      const { nodes } = await session.send('Memory.getDOMCounters')
      await session.detach()
      return nodes
    }

    it('ten of them leave no worker, no graphics context and no elements behind', async () => {
      await shown('first.xml')
      await shown('second.xml')
      const before = await elements()
      for (let turn = 0; turn < 5; turn += 1) {
        await shown('first.xml')
        await shown('second.xml')
      }
      await expect.poll(() => page.workers().length).toBe(1)
      expect(await liveContexts()).toBe(1)
      // A page of the viewer has some hundreds: one more for each model would be thousands.
      expect((await elements()) - before).toBeLessThan(100)
      expect(faults()).toEqual([])
    })

    it('one that stands still is not drawn again', async () => {
      await shown('first.xml')
      const drawnInThirtyFrames = () =>
        page.evaluate(async () => {
          const { prototype } = WebGL2RenderingContext
          const { clear } = prototype
          let drawn = 0
          prototype.clear = function (mask) {
            drawn += 1
            clear.call(this, mask)
          }
          for (let frame = 0; frame < 30; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
          prototype.clear = clear
          return drawn
        })
      await expect.poll(drawnInThirtyFrames).toBe(0)
      await page.getByRole('slider', { name: 'turn', exact: true }).press('ArrowRight')
      await button('Simulate').click()
      expect(await drawnInThirtyFrames()).toBeGreaterThan(0)
      expect(faults()).toEqual([])
    })

    it('a body is chosen by a click in the picture, its pose is copied, and the picture fills the screen', async () => {
      await shown('second.xml')
      const place = page.locator('.viewer-place')
      expect(await place.isVisible()).toBe(false)
      await page.locator('.viewer-stage canvas').click()
      await expect.poll(() => place.innerText()).toMatch(/^sphere · 4\.189 kg · turn\nx 0\.000, y 0\.000, z 0\.500 m$/)
      await page.locator('.viewer-stage canvas').click()
      await expect.poll(() => place.isVisible()).toBe(false)

      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      const slider = page.getByRole('slider', { name: 'turn', exact: true })
      await slider.fill('1.5')
      await button('Copy qpos').click()
      await page.getByText('Copied.').waitFor()
      const copied = Number(await page.evaluate(() => navigator.clipboard.readText()))
      expect(copied).toBeCloseTo(Number(await slider.inputValue()))

      await button('Full screen').click()
      await button('Leave full screen').click()
      await button('Full screen').waitFor()
      expect(faults()).toEqual([])
    })

    it('one with too many shapes, and one with too large a surface, are refused in words', async () => {
      expect(await problem('crowd.xml')).toMatch(
        /too many parts.*\n.*5002 shapes on 2 bodies; the viewer draws 5000 on/s,
      )
      await expect.poll(() => page.workers().length).toBe(0)
      expect(await liveContexts()).toBe(0)
      expect(await problem('wide.xml')).toMatch(/too many triangles.*MiB/s)
      expect(faults()).toEqual([])
    })

    it('one that MuJoCo compiles for longer than a minute is ended, and the next one is shown', async () => {
      await choose('endless.xml')
      await page.getByText('Compiling the model').waitFor()
      await page.clock.fastForward(61_000)
      await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/takes too long.*ended after 60 seconds/s)
      await expect.poll(() => page.workers().length).toBe(0)
      await shown('first.xml')
      expect(faults()).toEqual([])
    })

    it('one whose numbers are none is shown, and its simulation stops with a warning', async () => {
      await shown('no-number.xml')
      await button('Simulate').click()
      await page.getByText('The simulation became unstable').waitFor()
      await button('Simulate').waitFor()
      await shown('second.xml')
      expect(faults()).toEqual([])
    })
  },
)
