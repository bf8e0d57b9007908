/** When a start imports the bundle of the tree, and when its sources. */
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type BundleManifest, bundled, bundlesFolder, sha256Of } from '../../src/platform/start-bundle.ts'

const TEXT = 'export {}\n'
let root: string
let file: string

beforeEach(() => {
  root = `${mkdtempSync(join(tmpdir(), 'hub-bundle-'))}/`
  file = `${root}serve.ts`
  writeFileSync(file, TEXT)
  const { size, mtimeMs } = statSync(file)
  const sha256 = sha256Of(Buffer.from(TEXT))
  const manifest: BundleManifest = { folder: 'one', files: [{ path: 'serve.ts', size, mtimeMs, sha256 }] }
  mkdirSync(bundlesFolder(root), { recursive: true })
  writeFileSync(`${bundlesFolder(root)}current.json`, JSON.stringify(manifest))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const whole = () => pathToFileURL(`${bundlesFolder(root)}one/serve.mjs`).href

it('is imported while the tree is what it was made of, also at another time', () => {
  expect(bundled('serve', root)).toBe(whole())
  utimesSync(file, 1, 1)
  expect(bundled('serve', root)).toBe(whole())
})

it.each<[string, () => void]>([
  [
    'a file has another content of the same size',
    () => {
      writeFileSync(file, TEXT.toUpperCase())
      utimesSync(file, 1, 1)
    },
  ],
  ['a file has another size', () => writeFileSync(file, `${TEXT}//`)],
  ['a file is gone', () => rmSync(file)],
  ['none was made', () => rmSync(bundlesFolder(root), { recursive: true })],
  ['its manifest is torn', () => writeFileSync(`${bundlesFolder(root)}current.json`, '{"folder":')],
])('is not imported where %s', (_what, change) => {
  change()
  expect(bundled('serve', root)).toBeNull()
})
