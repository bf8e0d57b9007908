/** Files of an episode and of a recorded motion that do not come: the page says why, and reads them again if asked. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { motionDocument } from '@hub/rollout/loop/motion'
import type { Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { outcomes, rolloutsOf } from '../../rollouts/support.ts'
import { accessibilityFaults, noBrowser } from '../support/browser.ts'
import { lerobotDataset } from '../support/lerobot.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

const NOT_READ = 'The file cannot be read: there was no answer'

describe('in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  const { model, publish, versionOf } = rolloutsOf(hub)

  /** Ends each request for bytes of a file, until the returned function is called. */
  async function cutOff(page: Page): Promise<() => Promise<void>> {
    const isFile = ({ pathname }: URL) => pathname.startsWith('/objects/')
    await page.route(isFile, (route) => route.abort())
    return () => page.unroute(isFile)
  }

  it('an episode opens once its files come: the list of them, and its table', async () => {
    const repo = await hub.repo(work.ada)
    const { files } = lerobotDataset(2)
    await hub.upload(work.ada, repo, Object.fromEntries([...files].map(([path, all]) => [path, Buffer.from(all)])))
    const { page } = await work.openPage()
    const mend = await cutOff(page)
    await page.goto(`${work.origin}/${repo}/episodes`)
    await page.getByText(NOT_READ).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Pick cube 0 · 40 frames').waitFor()

    const mendTable = await cutOff(page)
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.getByText(NOT_READ).waitFor()
    await mendTable()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Pick cube 1 · 60 frames').waitFor()
    expect(await page.getByText(NOT_READ).count()).toBe(0)
    await page.close()
  })

  it('a recorded motion plays once it comes', async () => {
    const robot = await hub.repo(work.ada, { kind: 'robot' })
    const example = join(import.meta.dirname, '../../../examples/pendulum/robot/robot.xml')
    await hub.upload(work.ada, robot, { 'robot.xml': await readFile(example) })
    const from = await model(work.ada)
    const outcome = outcomes(4, [3]).find(({ seed }) => seed === 3)
    const steps = [0, 0.05].map((time) => ({ time, qpos: [time] }))
    const bytes = Buffer.from(JSON.stringify(motionDocument('swing-up', outcome as never, steps as never)))
    const sent = await hub.call(work.ada, 'POST', `/v1/repos/${from.repo}/blobs`, {
      contents: [bytes.toString('base64')],
    })
    expect(sent.status).toBe(200)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const on = { repo: robot, version: await versionOf(work.ada, robot) }
    const made = await publish(work.ada, from, on, { episodes: [{ seed: 3, size: bytes.length, sha256 }] })
    expect(made.status).toBe(200)

    const { page } = await work.openPage()
    const mend = await cutOff(page)
    const query = new URLSearchParams({ one: `${from.repo}/${made.json.id}`, seed: '3', kept: '1' })
    await page.goto(`${work.origin}/${robot}/rollouts?${query}`)
    await page.getByText(NOT_READ).waitFor()
    await mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'swing-up, seed 3, as it was recorded' }).waitFor()
    await page.close()
  })
})
