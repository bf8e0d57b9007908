// @module-tag full
// @module-tag long
/** What a person does with a data set before training: checks it, opens a fault at its frame, and labels episodes. */
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EncodedFrames, encodedFrames } from '../../../packages/check-worker/test/support/encoded-frames.ts'
import { FPS, madeDataset } from '../../../packages/dataset/test/support/made-dataset.ts'
import { aReport } from '../../checks/support/dataset-reports.ts'
import { contractHub, type Json, type Person } from '../../support/hub.ts'
import { accessibilityFaults, noBrowser, openBrowser, openPage, signedInto } from '../support/browser.ts'

describe('the episodes page in Chromium', needs(noBrowser), () => {
  // A check that a commit began would wait already when a person asks for one.
  const hub = contractHub({ DATASET_CHECK_DAILY_QUOTA: '0' })
  let browser: Browser
  let context: BrowserContext
  let ada: Person
  let name: string

  beforeAll(async () => {
    ada = await hub.person()
    name = await hub.repo(ada)
    browser = await openBrowser()
    const frames = await vp9Frames(browser)
    const made = madeDataset(2, {
      rows: (episodes) => {
        const row = episodes[1]?.[12]
        if (row) row.state[1] = Number.NaN
      },
      // Of the last episode the middle picture, and all from its key frame on to the next one, are none.
      video: (episode, count) => {
        const spoilt = (at: number) => episode === 2 && at >= 12 && at < 16
        const samples = frames.samples
          .slice(0, count)
          .map((one, at) => (spoilt(at) ? { ...one, bytes: one.bytes.map(() => 0xff) } : one))
        return [count, FPS, false, { ...frames, samples }]
      },
    })
    await hub.upload(ada, name, Object.fromEntries([...made].map(([path, bytes]) => [path, Buffer.from(bytes)])))
    context = await signedInto(new URL(hub.running.url).origin, browser, ada.token)
  })
  afterAll(() => browser?.close())

  it('checks the data set, opens a fault at its frame, and labels and unlabels episodes', async () => {
    const { page, faults } = await openPage(context, hub.running.url)
    await page.goto(`${hub.running.url}/${name}/episodes`)
    await page.getByRole('button', { name: 'Check the data set' }).click()
    await page.getByText('3 episodes, 130 frames: 2 findings.').waitFor()
    await page.getByRole('link', { name: 'episode 2, frame 15' }).waitFor()
    expect(await page.getByText(`Not checked`).count()).toBe(0)
    await page.getByRole('link', { name: 'episode 1, frame 12' }).click()
    expect(new URL(page.url()).searchParams.get('frame')).toBe('12')
    await page.locator('input[name="episodes"]').fill('0-1')
    // What says nothing labels nothing.
    await page.getByRole('button', { name: 'Label episodes' }).click()
    await page.getByText('Choose one here or an outcome, or write or remove a note.').waitFor()
    expect(await page.getByText('2 episodes labelled.').count()).toBe(0)
    await page.locator('select[name="choice"]').selectOption('drop')
    await page.locator('input[name="note"]').fill('gripper slipped')
    await page.getByRole('button', { name: 'Label episodes' }).click()
    await page.getByRole('button', { name: 'Undo the label of episode 1' }).click()
    await page.getByText('no label').waitFor()
    // What another tab says, and takes back, is seen here too.
    const labels = `/v1/repos/${name}/episode-labels`
    const said = { episodes: [2], choice: 'keep' }
    expect((await hub.call(ada, 'POST', labels, said)).status).toBe(200)
    await page.getByRole('button', { name: 'Undo the label of episode 2' }).waitFor()
    const { id } = (await hub.call(ada, 'GET', labels)).json.items.find((one: Json) => one.episode === 2)
    expect((await hub.call(ada, 'POST', `${labels}/undo`, { labels: [id] })).status).toBe(200)
    await page.getByText('no label').nth(1).waitFor()
    const { json } = await hub.call(ada, 'GET', labels)
    expect(json.items.map(({ choice, note }: Json) => [choice, note])).toEqual([
      ['drop', 'gripper slipped'],
      [null, null],
      [null, null],
    ])
    // The note alone goes, and comes back by an undo.
    const first = async () => {
      const { items } = (await hub.call(ada, 'GET', labels)).json
      return items.map(({ choice, note }: Json) => [choice, note])[0]
    }
    await page.locator('input[name="episodes"]').fill('0')
    await page.getByRole('checkbox', { name: 'Remove the note' }).press('Space')
    expect(await page.locator('input[name="note"]').isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Label episodes' }).click()
    await expect.poll(first).toEqual(['drop', null])
    await page.getByText('gripper slipped').waitFor({ state: 'detached' })
    expect(await page.getByRole('checkbox', { name: 'Remove the note' }).isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Undo the label of episode 0' }).click()
    await page.getByText('gripper slipped').waitFor()
    expect(await first()).toEqual(['drop', 'gripper slipped'])
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults()).toEqual([])
  })

  it.each([
    [
      'plays the videos where it is not given a decoder: the same picture is found',
      () => Reflect.deleteProperty(globalThis, 'VideoDecoder'),
      '3 episodes, 130 frames: 2 findings.',
      'broken_video',
    ],
    [
      'names what its browser does not decode',
      () => {
        const { VideoDecoder } = globalThis as unknown as { VideoDecoder: { isConfigSupported(): Promise<object> } }
        VideoDecoder.isConfigSupported = () => Promise.resolve({ supported: false })
      },
      '3 episodes, 130 frames: 1 finding.',
      'not decoded for 3 of 3 episodes in them: this browser does not decode vp09',
    ],
  ] as const)('%s', async (_, change, words, more) => {
    const { page, faults } = await openPage(context, hub.running.url)
    await page.addInitScript(change)
    await page.goto(`${hub.running.url}/${name}/episodes`)
    await page.getByRole('button', { name: 'Check the data set' }).click()
    await page.getByText(words).waitFor()
    await page.getByText(more).first().waitFor()
    if (more === 'broken_video') await page.getByRole('link', { name: /^episode 2, frame/ }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('has a worker check it, shows the report that stands, and selects episodes', async () => {
    const { page, faults } = await openPage(context, hub.running.url)
    await page.goto(`${hub.running.url}/${name}/episodes`)
    await page.getByRole('button', { name: 'Have a worker check it' }).click()
    await page.getByText('It waits for a worker').waitFor()
    const { attempt } = (await hub.call(ada, 'POST', '/v1/dataset-checks/claim-next', { worker: 'box' })).json
    const report = { attempt, status: 'succeeded', report: aReport }
    await hub.call(ada, 'POST', `/v1/repos/${name}/dataset-check/report`, report)
    await page.getByText('Report of change').waitFor()
    await page.getByRole('link', { name: 'episode 2, frame 7' }).click()
    expect(new URL(page.url()).searchParams.get('frame')).toBe('7')
    await page.locator('input[name="name"]').fill('clean')
    await page.locator('input[name="list"]').fill('1')
    await page.getByRole('button', { name: 'Select episodes' }).click()
    await page.getByText(`svc://${name}#clean`).waitFor()
    const { items } = (await hub.call(ada, 'GET', `/v1/repos/${name}/episode-selections`)).json
    expect(items).toMatchObject([{ name: 'clean', episodes: '0,2', count: 2, total: 3 }])
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults()).toEqual([])
  })
})

/** As many as the longest episode has, with a key frame each fourth one. */
async function vp9Frames(browser: Browser): Promise<EncodedFrames> {
  const page = await browser.newPage()
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto('https://encoder.invalid/')
  const frames = await encodedFrames(page, 'vp09', 60)
  await page.close()
  if (!frames) throw new Error('Chromium encodes VP9.')
  return frames
}
