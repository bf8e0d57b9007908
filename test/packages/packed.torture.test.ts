// @module-tag full
// @module-tag long
/** Every package as others get it: packed, with what it needs beside it, its exports load on Node 20, and the tree is as it was before. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { machineNode } from '@hub/testing/machine-node'
import { copyTree, pack } from '@hub/testing/packing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
/** A private package is never packed. */
const manifests = globSync('packages/*/package.json', { cwd: root })
  .filter((file) => !JSON.parse(readFileSync(join(root, file), 'utf8')).private)
  .sort()

let base: string
let tree: string
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-packages-'))
  tree = join(base, 'tree')
  await mkdir(tree)
  copyTree(tree)
})
afterAll(() => rm(base, { recursive: true, force: true }))

describe.each(manifests)('%s', (file) => {
  const before = readFileSync(join(root, file), 'utf8')
  const { name } = JSON.parse(before) as { readonly name: string }

  it('is packed as JavaScript with types, which load on the machine’s own Node', async () => {
    const tgz = await pack(tree, name, base)
    expect(readFileSync(join(tree, file), 'utf8')).toBe(before)
    const folder = await mkdtemp(join(base, 'installed-'))
    const place = join(folder, 'node_modules', name)
    await mkdir(place, { recursive: true })
    await run('tar', ['xzf', tgz, '--strip-components=1', '-C', place])
    const packed = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    const needed = Object.keys({ ...packed.dependencies, ...packed.peerDependencies })
    expect(needed.filter((other) => other.startsWith('@hub/') || other === 'hub')).toEqual([])
    for (const other of needed) {
      await mkdir(dirname(join(folder, 'node_modules', other)), { recursive: true })
      symlinkSync(join(root, 'node_modules', other), join(folder, 'node_modules', other))
    }
    expect(globSync('**/*.ts', { cwd: place }).filter((path) => !path.endsWith('.d.ts'))).toEqual([])
    const exported = Object.entries(packed.exports as Record<string, string | { types: string; default: string }>)
    const modules = exported.filter(([, target]) => typeof target === 'object')
    const files = modules.flatMap(([, target]) => Object.values(target))
    expect(files.filter((path) => !existsSync(join(place, path)))).toEqual([])
    const specifiers = modules.map(([key]) => `${name}${key.slice(1)}`)
    // The page that draws stills runs in a browser alone.
    const loaded = specifiers.filter((specifier) => !specifier.includes('/scene/'))
    const script = `${loaded.map((specifier) => `await import('${specifier}')`).join('\n')}\nconsole.log('loaded')\nprocess.exit(0)\n`
    await writeFile(join(folder, 'load.mjs'), script)
    const { stdout: said } = await run(machineNode(), ['load.mjs'], { cwd: folder, env: {} })
    expect(said).toBe('loaded\n')
  })
})
