/** What runs before Node 24 is there, on the Node that this machine has of its own where there is one. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { machineNode } from '@hub/testing/machine-node'
import { needs } from '@hub/testing/needs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
  optionalDependencies: Record<string, string>
}
const brought = Object.keys(manifest.optionalDependencies).find((name) => existsSync(join(root, 'node_modules', name)))

const own = machineNode()
const ownVersion = spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout.trim()
const isNew = Number(/\d+/.exec(ownVersion)?.[0]) >= 24
const ownIsNew = "the machine's own Node is 24 or newer"
const nothingBrought = brought === undefined && 'npm installed no Node of its own'

let clone = ''
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'hub-clone-'))
  mkdirSync(join(clone, 'scripts'))
  for (const file of ['package.json', 'scripts/bring-node.js', 'scripts/prepared.js', 'scripts/installed-packages.js'])
    cpSync(join(root, file), join(clone, file))
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

const bring = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(own, [join(clone, 'scripts/bring-node.js'), ...args], {
    cwd: clone,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe(`on the machine's own Node (${ownVersion})`, () => {
  it.each(['prepare', 'start', 'test'])('what `npm %s` runs first is JavaScript that it can run', (script) => {
    const [, first = ''] = /^node (\S+)/.exec(manifest.scripts[script] ?? '') ?? []
    const files = [join(root, first)]
    for (const file of files) {
      expect(file).toMatch(/\.js$/)
      expect(spawnSync(own, ['--check', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^import .* from '([^']+)'/gm))
        if (name.startsWith('./')) files.push(join(dirname(file), name))
        else expect(name).toMatch(/^node:/)
    }
    expect(files).toHaveLength(3)
  })

  it(
    'links the Node that npm installed, since npm 10 omits the link, and runs a file on it',
    needs(nothingBrought),
    () => {
      const name = brought ?? ''
      mkdirSync(join(clone, 'node_modules', '.bin'), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name))
      const version = `v${JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version}\n`
      expect(bring('-p', 'process.version')).toEqual({ status: 0, stdout: version, stderr: '' })
      const link = join(clone, 'node_modules', '.bin', 'node')
      expect(realpathSync(link)).toBe(realpathSync(join(root, 'node_modules', name, 'bin/node')))
      expect(spawnSync(link, ['--version'], { encoding: 'utf8' }).stdout).toBe(version)
      // Once more, now that the link is there, and with a file that fails.
      expect(bring('-e', 'process.exit(7)')).toEqual({ status: 7, stdout: '', stderr: '' })
    },
  )

  it('reports in its first line that nothing is installed', needs(isNew && ownIsNew), () => {
    expect(bring()).toEqual({ status: 1, stdout: '', stderr: 'The hub is not installed: run `npm ci` first.\n' })
  })

  it('names the missing package in its first line', needs(isNew && ownIsNew, nothingBrought), () => {
    mkdirSync(join(clone, 'node_modules'))
    const { status, stderr } = bring('-p', '1')
    expect(status).toBe(1)
    expect(stderr).toBe(
      `The hub runs on Node 24 and its package ${brought} is not installed; this machine's is ${ownVersion}: run \`npm ci\` without --omit=optional, or install Node 24.\n`,
    )
  })
})

it('allows npm 10 in its engines, and makes npm reject a Node that is too old before it fetches anything', () => {
  const { engines, devEngines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(engines).toEqual({ node: '>=20.19', npm: '>=10' })
  expect(devEngines.runtime).toEqual({ name: 'node', version: engines.node, onFail: 'error' })
  expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^engine-strict=false$/m)
})
