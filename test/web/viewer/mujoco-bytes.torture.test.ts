// @module-tag long
/** What a person is told while MuJoCo, or ONNX Runtime, comes to the page of a robot, and where it does not come. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from '../support/browser.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

const example = join(import.meta.dirname, '../../../examples/pendulum')
const engine = join(import.meta.dirname, '../../../node_modules/@mujoco/mujoco/mujoco.wasm')

const runtime = join(import.meta.dirname, '../../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm')

describe('an engine on its way to a page', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  let address = ''
  let policy = ''

  async function uploaded(kind: string, folder: string) {
    const repo = await hub.repo(work.ada, { kind })
    const names = await readdir(folder)
    const files = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const))
    await hub.upload(work.ada, repo, Object.fromEntries(files))
    return repo
  }
  beforeAll(async () => {
    const robot = await uploaded('robot', join(example, 'robot'))
    const card = JSON.parse(await readFile(join(example, 'robot/robot_card.json'), 'utf8'))
    expect((await hub.call(work.ada, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
    address = `${hub.running.url}/${robot}/robot`
    policy = await uploaded('model', join(example, 'policy'))
  })

  it('is counted in bytes of all that it has', { timeout: 120_000 }, async () => {
    const { page, faults } = await work.openPage()
    const network = await page.context().newCDPSession(page)
    const throughput = { downloadThroughput: 400_000, uploadThroughput: 400_000 }
    await network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, ...throughput })
    await page.goto(address)
    const told = page.getByText(/^Loading MuJoCo \([\d.]+ \w?B of /)
    await told.waitFor()
    const all = (await readFile(engine)).length
    expect(await told.innerText()).toContain(` of ${(all / 1e6).toFixed(1)} MB)`)
    await page.locator('[data-phase="ready"]').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('is counted in bytes for a policy too, and told where it does not come', { timeout: 120_000 }, async () => {
    const { page, faults } = await work.openPage()
    await page.context().route('**/assets/ort-wasm-*.wasm', (route) => route.abort())
    await page.goto(`${address}?policy=${policy}`)
    const drive = page.getByRole('button', { name: 'Drive', exact: true })
    await page.getByText('ONNX Runtime was not downloaded').waitFor()
    await page.context().unroute('**/assets/ort-wasm-*.wasm')
    const network = await page.context().newCDPSession(page)
    const throughput = { downloadThroughput: 400_000, uploadThroughput: 400_000 }
    await network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, ...throughput })
    await drive.click()
    const told = page.getByText(/^ONNX Runtime: [\d.]+ \w?B of /)
    await told.waitFor()
    expect(await told.innerText()).toContain(` of ${((await readFile(runtime)).length / 1e6).toFixed(1)} MB`)
    await page.getByText(/^Fingerprint /).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('that does not come is told as that', { timeout: 120_000 }, async () => {
    const { page } = await work.openPage()
    await page.context().route('**/assets/mujoco-*.wasm', (route) => route.abort())
    await page.goto(address)
    await page.getByRole('alert').getByText('MuJoCo was not downloaded').waitFor()
    await page.context().unroute('**/assets/mujoco-*.wasm')
    await page.reload()
    await page.locator('[data-phase="ready"]').waitFor()
    await page.close()
  })
})
