/** The lists that git ignores are of the tree before `git pull`: the next start or test has those of now. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { notInstalled } from '../../src/platform/not-installed.ts'

const root = join(import.meta.dirname, '..', '..')
let tree = ''
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'hub-pulled-'))
  mkdirSync(join(tree, 'node_modules/.bin'), { recursive: true })
  for (const folder of ['schema/runs', 'rest-compat', 'hf-compat']) mkdirSync(join(tree, folder), { recursive: true })
  for (const name of ['package.json', 'codegen.ts', 'scripts'])
    cpSync(join(root, name), join(tree, name), { recursive: true })
  symlinkSync(process.execPath, join(tree, 'node_modules/.bin/node'))
})
afterAll(() => rmSync(tree, { recursive: true, force: true }))

const run = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8' })
  return { status, stderr }
}
const bring = () => run('scripts/bring-node.js')
const list = () => readFileSync(join(tree, 'schema/types.generated.ts'), 'utf8')
const stamp = () => join(tree, 'node_modules/.cache/hub-lists')
const add = (name: string) => writeFileSync(join(tree, 'schema/runs', name), '')

it('are written again where a file came or went, and else are left alone', () => {
  add('run.ts')
  expect(bring()).toEqual({ status: 0, stderr: '' })
  expect([list().includes("'./runs/run.ts'"), existsSync(stamp())]).toEqual([true, true])

  add('new.ts')
  expect(bring()).toEqual({ status: 0, stderr: '' })
  expect(list()).toContain("'./runs/new.ts'")

  rmSync(join(tree, 'schema/runs/run.ts'))
  expect(bring()).toEqual({ status: 0, stderr: '' })
  expect(list()).not.toContain("'./runs/run.ts'")

  writeFileSync(join(tree, 'schema/types.generated.ts'), 'not looked at')
  expect([bring().status, list()]).toEqual([0, 'not looked at'])
})

it('fail `npm run generated:check` by name, before the graph that they list is loaded', () => {
  expect(run('codegen.ts', '--check')).toEqual({
    status: 1,
    stderr: 'Stale: schema/types.generated.ts. Run `npm run codegen`.\n',
  })
})

it('are named by a process that finds a file of them gone', () => {
  const gone = `Cannot find module '${root}/schema/runs/gone.ts' imported from ${root}/schema/types.generated.ts`
  expect(notInstalled(Object.assign(new Error(gone), { code: 'ERR_MODULE_NOT_FOUND' }))).toBe(
    "The hub's generated files are of another version of it: schema/types.generated.ts names a file that is not there. Run `npm run codegen`.",
  )
})
