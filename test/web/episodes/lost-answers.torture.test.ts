/** Files of an episode and of a recorded motion that do not come: the page says why, and reads them again if asked. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { motionDocument } from '@hub/rollout/loop/motion'
import type { Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { bytes } from '../../../web/src/ui/format.ts'
import { outcomes, rolloutsOf } from '../../rollouts/support.ts'
import { accessibilityFaults, noBrowser } from '../support/browser.ts'
import { lerobotDataset } from '../support/lerobot.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

const isFile = ({ pathname }: URL) => pathname.startsWith('/objects/')
const NOT_READ = 'The file cannot be read: there was no answer'

describe('in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  const { model, publish, versionOf } = rolloutsOf(hub)

  /** Ends each request for bytes of a file, until the returned function is called. */
  async function cutOff(page: Page): Promise<() => Promise<void>> {
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

  /** The page of a recorded motion, and the bytes of its recording. */
  async function keptMotion() {
    const robot = await hub.repo(work.ada, { kind: 'robot' })
    const example = join(import.meta.dirname, '../../../examples/pendulum/robot/robot.xml')
    await hub.upload(work.ada, robot, { 'robot.xml': await readFile(example) })
    const from = await model(work.ada)
    const outcome = outcomes(4, [3]).find(({ seed }) => seed === 3)
    const steps = [0, 0.05].map((time) => ({ time, qpos: [time] }))
    const recording = Buffer.from(JSON.stringify(motionDocument('swing-up', outcome as never, steps as never)))
    const sent = await hub.call(work.ada, 'POST', `/v1/repos/${from.repo}/blobs`, {
      contents: [recording.toString('base64')],
    })
    expect(sent.status).toBe(200)
    const sha256 = createHash('sha256').update(recording).digest('hex')
    const on = { repo: robot, version: await versionOf(work.ada, robot) }
    const made = await publish(work.ada, from, on, { episodes: [{ seed: 3, size: recording.length, sha256 }] })
    expect(made.status).toBe(200)
    const name = `${from.repo}/${made.json.id}`
    const query = new URLSearchParams({ one: name, seed: '3', kept: '1' })
    return { name, recording, address: `${work.origin}/${robot}/rollouts?${query}` }
  }

  it('a recorded motion plays once it comes', async () => {
    const { address } = await keptMotion()
    const { page } = await work.openPage()
    const mend = await cutOff(page)
    await page.goto(address)
    await page.getByText(NOT_READ).waitFor()
    await mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'swing-up, seed 3, as it was recorded' }).waitFor()
    await page.close()
  })

  it('a recorded motion is counted in bytes as it comes, told where it breaks off, and plays once all of it comes', async () => {
    const { name, recording, address } = await keptMotion()
    const half = recording.subarray(0, recording.length >> 1)
    await using store = await halfStore(recording.length, half)
    const { page } = await work.openPage()
    await page.route(isFile, (route) => route.continue({ url: store.url }))
    await page.goto(address)
    const count = page.getByText(`Recording of ${name}: ${bytes(half.length)} of ${bytes(recording.length)}`)
    await count.waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    store.breakOff()
    const alert = page.getByRole('alert').filter({ hasText: 'That of seed 3 broke off' })
    await alert.getByRole('heading', { name: 'The recording is not downloaded' }).waitFor()
    expect(await count.count()).toBe(0)
    await page.unroute(isFile)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'swing-up, seed 3, as it was recorded' }).waitFor()
    expect(await page.getByText(`Recording of ${name}`).count()).toBe(0)
    await page.close()
  })
})

/** A store that announces so many bytes and sends some of them; it breaks off when it is told to. */
async function halfStore(announced: number, sent: Uint8Array) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': announced }).write(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    breakOff: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
