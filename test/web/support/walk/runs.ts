/** Runs: their media, their end, and a list of them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pagePath } from '@hub/formats/page-paths'
import { expect, it } from 'vitest'
import { newName } from '../../../support/hub.ts'
import { accessibilityFaults, openPage, output, phone, settled, widerBy } from '../browser.ts'
import { report } from '../lab.ts'
import type { Walk } from './walk.ts'

/** Registers its tests with the `describe` around it. */
export function walkRuns(walk: Walk): void {
  it('show the media of a run: step by step from the keyboard, and what a training wrote runs nothing', async () => {
    const { ada } = walk.lab
    const start = { recipe: { template: 'act' }, worker: 'bench' }
    const { id } = (await walk.hub.call(ada, 'POST', '/v1/runs/start', start)).json
    const output = await walk.hub.repo(ada, { kind: 'model' })
    const script = '<p>drawn</p><script>document.body.textContent = "ran"</script>'
    const square = (color: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="${color}"/></svg>`
    await walk.hub.upload(ada, output, { 'a.svg': square('red'), 'b.svg': square('blue'), 'page.html': script })
    await walk.hub.call(ada, 'POST', `/v1/runs/${id}/report`, { output_model_repo: output })
    const media = [
      { key: 'camera', step: 10, kind: 'image', path: 'a.svg' },
      { key: 'camera', step: 20, kind: 'image', path: 'b.svg', caption: 'the last one' },
      { key: 'grasps', step: 20, kind: 'table', value: { columns: ['name', 'n'], rows: [['cup', 1]] } },
      { key: 'returns', step: 20, kind: 'histogram', value: { edges: [0, 1, 3], counts: [2, 5] } },
      { key: 'view', step: 20, kind: 'html', path: 'page.html' },
    ]
    expect((await walk.hub.call(ada, 'POST', `/v1/runs/${id}/media`, { media })).status).toBe(200)
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}/runs/${id}`)
    await page.getByRole('button', { name: 'Media' }).click()
    const camera = page.getByRole('region', { name: 'camera' })
    await camera.getByText('the last one').waitFor()
    await expect.poll(() => camera.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(8)
    await camera.getByRole('slider').focus()
    await page.keyboard.press('ArrowLeft')
    await camera.getByRole('img', { name: 'camera, step 10' }).waitFor()
    expect(await camera.getByText('the last one').count()).toBe(0)
    await page.getByRole('cell', { name: 'cup' }).waitFor()
    await page.getByRole('img', { name: 'returns, step 20: 7 values from 0 to 3' }).waitFor()
    // A card asks for nothing before it is near.
    await page.getByRole('region', { name: 'view' }).scrollIntoViewIfNeeded()
    const framed = page.frameLocator('iframe')
    await framed.getByText('drawn').waitFor()
    await settled(page)
    expect(await framed.getByText('ran').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    // The browser says what it did not run, for each time that the frame was drawn.
    expect([...new Set(faults())]).toEqual([
      expect.stringMatching(/^console: Blocked script execution in 'about:srcdoc'/),
    ])
    await page.close()
  })

  it('follow a run to its end', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}${pagePath('run', { id: walk.lab.run })}`)
    await page.getByText('running').first().waitFor()
    for (let step = 2; step <= 10; step += 1) await report(walk.hub, walk.lab.trainer, walk.lab.run, step)
    await page.getByText('step 10').first().waitFor()
    const ended = await walk.hub.call(walk.lab.trainer, 'POST', `/v1/runs/${walk.lab.run}/report`, {
      status: 'succeeded',
    })
    expect(ended.status).toBe(200)
    await page.getByText('succeeded').first().waitFor()
    await writeFile(join(output, 'run-ended.png'), await page.screenshot())
    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Metrics' }).click()
    await page.getByRole('img', { name: /^reward over steps.* to 1, last 1$/ }).waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await page.goto(`${walk.origin}/runs?compare=${walk.lab.run},${walk.lab.ended}`)
    await page.getByText('2 runs compared').waitFor()
    await page
      .getByRole('region', { name: 'Last values' })
      .getByRole('row', { name: /^reward / })
      .waitFor()
    await page.getByRole('img', { name: /^loss over steps/ }).waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, 'runs-compared-phone.png'), await page.screenshot({ fullPage: true }))
    expect(faults()).toEqual([])
    await page.close()
  })

  it('find a run by a part of its name, show a metric, and sort by it', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}/runs`)
    await settled(page)
    const asked = new Set<string>()
    page.on('request', (request) => {
      const [, text] = /"q":"([^"]*)"/.exec(request.postData() ?? '') ?? []
      if (text !== undefined) asked.add(text)
    })
    // All keys in one task of the page: however slow the machine is, none of them comes after the wait between keys.
    await page.getByRole('searchbox', { name: 'Search runs' }).evaluate((box: HTMLInputElement) => {
      for (const key of 'nothing has it') {
        box.setRangeText(key, box.value.length, box.value.length, 'end')
        box.dispatchEvent(new InputEvent('input', { bubbles: true, data: key, inputType: 'insertText' }))
      }
    })
    await page.getByText('No run matches').waitFor()
    // Of the keys before the last none asked.
    expect([...asked]).toEqual(['nothing has it'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('Columns').click()
    await page.getByLabel('Add a metric').selectOption('loss')
    await page.getByRole('button', { name: 'loss' }).click()
    await page.getByText('Sorted by loss').waitFor()
    await page.waitForURL(/sort=loss/)
    await settled(page)
    expect(await page.locator('th[aria-sort=ascending], th[aria-sort=descending]').count()).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'runs-sorted.png'), await page.screenshot())
    await page.setViewportSize(phone)
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, 'runs-sorted-phone.png'), await page.screenshot({ fullPage: true }))
    expect(faults()).toEqual([])
    await page.close()
  })

  it('sort a list of runs by a metric, one way and the other, and have the newest first again', async () => {
    const { ada } = walk.lab
    const project = newName('sorted')
    for (const [name, loss] of [
      ['oldest', 0.2],
      ['middle', 0.3],
      ['newest', 0.1],
    ] as const) {
      const { id } = (
        await walk.hub.call(ada, 'POST', '/v1/runs/start', {
          recipe: { template: 'act' },
          worker: 'bench',
          name,
          project,
        })
      ).json
      const { status } = await walk.hub.call(ada, 'POST', `/v1/runs/${id}/report`, { metrics: [{ step: 1, loss }] })
      expect(status).toBe(200)
    }
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    const names = () => page.locator('tbody tr td:nth-child(2) a').allInnerTexts()
    const order = page.locator('th[aria-sort]')
    const newestFirst = page.getByRole('button', { name: 'Newest first' })
    await page.goto(`${walk.origin}/runs?project=${project}&metric=loss`)
    await expect.poll(names).toEqual(['newest', 'middle', 'oldest'])
    expect([await order.getAttribute('aria-sort'), await newestFirst.count()]).toEqual(['none', 0])
    await page.getByRole('button', { name: 'loss' }).click()
    // The better values of a loss come first.
    await expect.poll(names).toEqual(['newest', 'oldest', 'middle'])
    await expect.poll(() => order.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('button', { name: 'loss' }).click()
    await expect.poll(names).toEqual(['middle', 'oldest', 'newest'])
    await expect.poll(() => order.getAttribute('aria-sort')).toBe('descending')
    await page.getByLabel('Value of the metric').selectOption('MIN')
    await page.waitForURL(/by=MIN/)
    await newestFirst.focus()
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['newest', 'middle', 'oldest'])
    expect(new URL(page.url()).search).toBe(`?project=${project}&metric=loss`)
    expect([await order.getAttribute('aria-sort'), await newestFirst.count()]).toEqual(['none', 0])
    // The button is gone, and the keyboard is where it stood.
    expect(await page.locator('summary:focus').innerText()).toBe('Columns')
    // The address that is shown is the view: it is the same when it is opened.
    await page.reload()
    await expect.poll(names).toEqual(['newest', 'middle', 'oldest'])
    expect(faults()).toEqual([])
    await page.close()
  })
}
