// @module-tag long
/** Every package as others get it: packed, with what it needs beside it, its exports load on Node 20, and the tree is as it was before. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machineNode } from '../support/machine-node.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const machine = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
const manifests = globSync('packages/*/package.json', { cwd: root }).sort()
const read = (file: string) => readFileSync(join(root, file), 'utf8')

let base: string
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-packages-'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

describe.each(manifests)('%s', (file) => {
  const before = read(file)
  const { name } = JSON.parse(before) as { readonly name: string }

  it('is packed as JavaScript with types, which load on the machine’s own Node', async () => {
    const { stdout } = await run('npm', ['pack', '--silent', '--workspace', name, '--pack-destination', base], {
      cwd: root,
      env: machine,
    })
    expect(read(file)).toBe(before)
    const folder = await mkdtemp(join(base, 'installed-'))
    const place = join(folder, 'node_modules', name)
    await mkdir(place, { recursive: true })
    await run('tar', ['xzf', join(base, stdout.trim()), '--strip-components=1', '-C', place])
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
