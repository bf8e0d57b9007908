/** A tree in which `npm ci` has not ended: packages are there, and what it generates is not. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
let clone = ''
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'hub-half-'))
  for (const name of ['src', 'schema', 'rest-compat', 'hf-compat', 'scripts', 'prisma', 'package.json'])
    cpSync(join(root, name), join(clone, name), {
      recursive: true,
      filter: (path) => !/\.generated\.ts$|\/generated$/.test(path),
    })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

const run = (file: string, args: readonly string[] = [], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, file), ...args], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HUB_DATA_DIR: join(clone, 'data'), PORT: '0', ...env },
  })
  return { status, stdout, stderr }
}
const line =
  /^(hub: )?The hub is not completely installed: \S+ is missing, which \S+ imports\. Run `npm ci` and wait until it has finished\.\n$/

it.each([
  ['npm start', 'src/main.ts', [], {}],
  ['npm start with workers', 'src/main.ts', ['--workers', '2'], {}],
  ['hub doctor', 'src/operator/hub.ts', ['doctor'], {}],
  ['hub user add', 'src/operator/hub.ts', ['user', 'add', 'ada'], {}],
])('%s names what is missing and the fix in one line, and ends with 1', (_what, file, args, env) => {
  expect(run(file, args, env)).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(line) })
})

it('npm run hub runs what says so where not even Node is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const script of ['start', 'hub'])
    expect(scripts[script]).toMatch(/^node scripts\/bring-node\.js( --pages)? && (NODE_COMPILE_CACHE=\S+ )?exec node /)
})
