// @module-tag full
// @module-tag long
/** The package as a stranger gets it: packed, installed into an empty folder without a network, on the machine's own Node. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { machineNode } from '@hub/testing/machine-node'
import { copyTree, pack } from '@hub/testing/packing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../src/command.ts'

const root = join(import.meta.dirname, '../../..')
const robot = join(root, 'examples/robot')
const run = promisify(execFile)
/** What the npm that runs the tests set is not of the machine. */
const machine = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

let base: string
let folder: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'mjcf-package-'))
  folder = join(base, 'stranger')
  const tree = join(base, 'tree')
  for (const made of [folder, tree]) await mkdir(made)
  copyTree(tree)
  const file = await pack(tree, '@hub/mjcf', base)
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  await run('npm', ['install', '--silent', '--offline', file], { cwd: folder, env: machine })
})
afterAll(() => rm(base, { recursive: true, force: true }))

/** What the machine's own Node prints, in the stranger's folder. */
async function printed(...args: string[]): Promise<string> {
  const env = { PATH: `${dirname(machineNode())}:/usr/bin:/bin` }
  return (await run(machineNode(), args, { cwd: folder, env })).stdout
}

const tenLines = `
import { checkModel, modelText, openReadingPool, paintFor } from '@hub/mjcf'

const pool = openReadingPool({ processes: 1 })
const place = { dir: process.argv[2], entry: 'scene.xml', cwd: process.cwd() }
const model = await checkModel(pool, place, AbortSignal.timeout(30_000))
await pool.close()
process.stdout.write(modelText(model, paintFor(process.stdout)))
`

it('ten lines of a stranger print the verdict, and so does the command', async () => {
  let verdict = ''
  const stdout = { write: (text: string) => (verdict += text) }
  expect(await runCommand([robot], { cwd: root, stdout, stderr: process.stderr })).toBe(0)
  expect(verdict).toContain('All 4 checks passed.')
  await writeFile(join(folder, 'use.js'), tenLines)
  expect(await printed('use.js', robot)).toBe(verdict)
  const { stdout: command } = await run('npx', ['--offline', 'mjcf', robot], { cwd: folder, env: machine })
  expect(command).toBe(verdict)
})

it('has types for a strict program, and nothing that it depends on', async () => {
  await writeFile(
    join(folder, 'typed.ts'),
    `import { type ModelReading, modelChecks } from '@hub/mjcf'
import { readModel } from '@hub/mjcf/read-model'
const files = { readFile: async () => null, sizesOf: async () => [] }
export const reading: Promise<ModelReading> = readModel(files, 'a.xml')
export const codes: Promise<string[]> = reading.then((read) => modelChecks(read, 'a.xml').map(({ code }) => code))
// @ts-expect-error A check has no such member.
modelChecks(null, null)[0]?.colour
`,
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const settings = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node']
  const typeRoots = ['--typeRoots', join(root, 'node_modules/@types')]
  const told = await run(process.execPath, [tsc, ...settings, ...typeRoots, 'typed.ts'], { cwd: folder })
  expect(told).toEqual({ stdout: '', stderr: '' })
  const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: folder, env: machine })
  expect(stdout.trim().split('\n')).toEqual([folder, join(folder, 'node_modules/@hub/mjcf')])
})
