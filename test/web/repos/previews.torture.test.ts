// @module-tag full
// @module-tag long
/** What a person sees of a file without downloading it: tables, tensors, arrays, code, and Markdown as GitHub shows it. */
import { join } from 'node:path'
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onnx, safetensors } from '../../../packages/formats/test/policy/policy-files.ts'
import { contractHub, type Person } from '../../support/hub.ts'
import {
  accessibilityFaults,
  noBrowser,
  openBrowser,
  openPage,
  output,
  phone,
  signedInto,
  widerBy,
} from '../support/browser.ts'
import { npy } from '../support/npy.ts'

const ROWS = 120
const table = () =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'frame', data: Array.from({ length: ROWS }, (_, at) => BigInt(at)), type: 'INT64' },
        { name: 'reward', data: Array.from({ length: ROWS }, (_, at) => at / 8), type: 'DOUBLE' },
        { name: 'task', data: Array.from({ length: ROWS }, (_, at) => `pick ${at}`), type: 'STRING' },
      ],
      rowGroupSize: 50,
    }),
  )

/** `state` is unpacked from deflated bytes, a hundred times what its header takes. */
async function npz(): Promise<Buffer> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  const arrays = {
    'state.npy': npy('<f4', [4000, 7], 4),
    'done.npy': npy('|b1', [4000], 1),
    'mean.npy': npy('<f8', [], 8),
  }
  for (const [name, bytes] of Object.entries(arrays)) await zip.add(name, new Uint8ArrayReader(new Uint8Array(bytes)))
  return Buffer.from(await zip.close())
}

/** One page with a line of text. */
function pdf(): string {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    '<< /Length 42 >>\nstream\nBT /F1 18 Tf 20 50 Td (The arm) Tj ET      \nendstream',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return `${text}${table}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
}

/** Says on the page that it stands in that its script ran. */
const page = '<html><body><script>parent.document.title = "taken"; document.title = "taken"</script></body></html>'

const diagrams = `# Diagrams

\`\`\`mermaid
graph TD
  A["<img src=x onerror=alert(1)>"] -->|moves| B{Gripper}
  B --> C[<script>document.title = 'taken'</script>]
\`\`\`

\`\`\`mermaid
no such diagram
\`\`\`

\`\`\`mermaid
graph TD
${Array.from({ length: 2000 }, (_, at) => `  n${at} --> n${(at * 7) % 2000}`).join('\n')}
\`\`\`
`

const readme = `# Arm

> [!WARNING]
> Keep your hands away.

$$\\tau = J^T f$$ costs $5 to $10.

\`\`\`python
import hub
\`\`\`
`

describe('a file in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  let ada: Person
  let repo: string
  let browser: Browser
  let signedIn: BrowserContext
  beforeAll(async () => {
    ada = await hub.person()
    repo = await hub.repo(ada, { kind: 'model' })
    await hub.upload(ada, repo, {
      'README.md': readme,
      'data.parquet': table(),
      'policy.onnx': onnx({ metadata: { task: 'reach' } }),
      'model.safetensors': safetensors({ 'layer.weight': [48, 12], 'layer.bias': [12] }),
      'stats.npz': await npz(),
      'one.npy': npy('<i8', [3], 8),
      'broken.parquet': 'no table',
      'broken.onnx': 'weights',
      'arm.pdf': pdf(),
      'page.pdf': page,
      'mixed.pdf': `%PDF-1.4\n${page}`,
      'diagrams.md': diagrams,
      'robot.xml': '<mujoco model="arm"><worldbody/></mujoco>\n',
    })
    browser = await openBrowser()
    signedIn = await signedInto(new URL(hub.running.url).origin, browser, ada.token)
  })
  afterAll(() => browser?.close())

  /** Texts of the rows of a table, once it is there. */
  async function opened(path: string, label: string) {
    const { page, faults } = await openPage(signedIn, hub.running.url)
    await page.goto(`${hub.running.url}/${repo}/tree/${path}`)
    const region = page.getByRole('region', { name: label })
    await region.waitFor()
    const rows = () =>
      region
        .locator('tbody tr')
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
    return { page, faults, region, rows }
  }

  it('that is a Parquet table shows its columns with their types, and its rows page by page', async () => {
    const { page, faults, region, rows } = await opened('data.parquet', 'Rows of the table')
    expect((await region.locator('thead').textContent())?.replaceAll(/\s+/g, ' ')).toMatch(
      /Row.*frame int64.*reward double.*task/,
    )
    expect((await rows())[49]).toEqual(['49', '49', '6.125', 'pick 49'])
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 to 100').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('101 to 120').waitFor()
    await region.getByText('pick 119').waitFor()
    expect((await rows()).at(-1)).toEqual(['119', '119', '14.875', 'pick 119'])
    await expect.poll(() => page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    await page.screenshot({ path: join(output, 'preview-parquet-phone.png'), fullPage: true })
    expect(faults()).toEqual([])
    await page.close()
  })

  it('of weights shows tensors, shapes and metadata', async () => {
    const model = await opened('policy.onnx', 'Tensors')
    expect(await model.rows()).toEqual([
      ['obs', 'input', 'float32', 'batch × 48'],
      ['actions', 'output', 'float32', 'batch × 12'],
    ])
    await model.page.getByText('576 parameters · made by pytorch 2.5.0 · IR version 9 · operators ai.onnx 17').waitFor()
    await model.page.getByRole('region', { name: 'Metadata' }).getByText('reach').waitFor()
    const weights = await opened('model.safetensors', 'Tensors')
    expect(await weights.rows()).toEqual([
      ['layer.weight', 'weight', 'F32', '48 × 12'],
      ['layer.bias', 'weight', 'F32', '12'],
    ])
    await weights.page.getByText('2 tensors · 588 parameters').waitFor()
    expect(await accessibilityFaults(weights.page)).toEqual([])
    expect([...model.faults(), ...weights.faults()]).toEqual([])
    await model.page.close()
    await weights.page.close()
  })

  it('of NumPy arrays shows their types and shapes, packed or not', async () => {
    const packed = await opened('stats.npz', 'Content of the file')
    expect(await packed.rows()).toEqual([
      ['state', 'float32', '4000 × 7', '112 KB'],
      ['done', 'bool', '4000', '4.1 KB'],
      ['mean', 'float64', 'one number', '136 B'],
    ])
    const one = await opened('one.npy', 'Content of the file')
    expect(await one.rows()).toEqual([['one', 'int64', '3', '152 B']])
    expect([...packed.faults(), ...one.faults()]).toEqual([])
    await packed.page.close()
    await one.page.close()
  })

  it('that is not what its name says is told so', async () => {
    const { page, faults } = await openPage(signedIn, hub.running.url)
    for (const path of ['broken.parquet', 'broken.onnx']) {
      await page.goto(`${hub.running.url}/${repo}/tree/${path}`)
      await page.getByRole('region', { name: 'Preview' }).getByRole('alert').waitFor()
    }
    expect(faults()).toEqual([])
    await page.close()
  })

  it('of code is coloured, and Markdown has warnings, formulas and code', async () => {
    const { page, faults } = await openPage(signedIn, hub.running.url)
    await page.goto(`${hub.running.url}/${repo}/tree/robot.xml`)
    await page.locator('.hljs-name', { hasText: 'mujoco' }).first().waitFor()
    await page.goto(`${hub.running.url}/${repo}`)
    await page.locator('.markdown-alert-warning').getByText('Keep your hands away.').waitFor()
    await page.locator('.hljs-keyword', { hasText: 'import' }).waitFor()
    await page.locator('math').first().waitFor()
    expect(await page.locator('math').count()).toBe(1)
    await expect.poll(() => page.locator('.markdown').textContent()).toContain('costs $5 to $10.')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await accessibilityFaults(page)).toEqual([])
      await page.screenshot({ path: join(output, `preview-readme-${colorScheme}.png`), fullPage: true })
    }
    expect(faults()).toEqual([])
    await page.close()
  })

  it('that is a PDF stands in the viewer of the browser, and a page that only has its name never runs', async () => {
    const { page, faults } = await openPage(signedIn, hub.running.url)
    await page.goto(`${hub.running.url}/${repo}/tree/arm.pdf`)
    const preview = page.getByRole('region', { name: 'Preview' })
    await expect.poll(() => preview.locator('iframe, h2').count()).toBe(1)
    if (await page.evaluate(() => navigator.pdfViewerEnabled)) {
      await expect.poll(() => preview.locator('iframe').getAttribute('src')).toMatch(/^blob:/)
      await page.screenshot({ path: join(output, 'preview-pdf.png') })
      await page.goto(`${hub.running.url}/${repo}/tree/mixed.pdf`)
      await preview.locator('iframe').waitFor()
    } else await page.getByText('This browser shows no PDF').waitFor()
    expect(faults()).toEqual([])
    await page.goto(`${hub.running.url}/${repo}/tree/page.pdf`)
    await preview.getByText(/is not a PDF/).waitFor()
    expect([await page.title(), await preview.locator('iframe').count()]).toEqual([
      expect.not.stringContaining('taken'),
      0,
    ])
    expect(faults()).toEqual([])
    await page.close()
  })

  it('of Markdown draws diagrams as pictures, and shows the text of what cannot be drawn', async () => {
    const { page, faults } = await openPage(signedIn, hub.running.url)
    await page.goto(`${hub.running.url}/${repo}/tree/diagrams.md`)
    const picture = page.locator('.diagram img')
    await picture.waitFor()
    expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth > 0))).toBe(
      true,
    )
    await expect.poll(() => picture.getAttribute('src')).toMatch(/^data:image\/svg/)
    await page.getByText(/not drawn: Invalid mermaid header/).waitFor()
    await page.getByText('not drawn: It is too long to be drawn.').waitFor()
    await page.getByText('no such diagram', { exact: false }).first().waitFor()
    expect(await page.title()).not.toContain('taken')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await picture.waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
      await page.screenshot({ path: join(output, `preview-diagram-${colorScheme}.png`) })
    }
    expect(faults()).toEqual([])
    await page.close()
  })
})
