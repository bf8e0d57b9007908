/** `npm run NAME -- --help` of benches and other programs of the tree says what they do, and starts nothing. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** The file that each script runs with help, by the script's name. */
const taught = Object.entries(scripts).flatMap(([name, line]) => {
  const [, file] = /scripts\/taught\.ts (\S+)$/.exec(line) ?? []
  return file ? [[name, file] as const] : []
})
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/taught.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

it('is there for every bench, for the demo, and for what writes or builds', () => {
  const names = taught.map(([name]) => name)
  expect(names.filter((name) => name.startsWith('bench'))).toEqual(
    Object.keys(scripts).filter((name) => name.startsWith('bench')),
  )
  expect(names).toEqual(expect.arrayContaining(['demo', 'migrate:new', 'schema:release', 'image:check']))
})

it.each(taught)('npm run %s is named by the comment of its program, which is its help', (name, file) => {
  const [comment = ''] = readFileSync(join(root, file), 'utf8').split(/\*\/|\n"""/)
  expect(comment.replaceAll('``', '`')).toMatch(
    new RegExp(`\`npm run ${name}(?: <name>| -- [^\`]+| \\[-- [^\`]+\\])?\``),
  )
})

it('prints the comment, filled to a width, and names the other benches', () => {
  const { status, stdout, stderr } = run('test/bench/log_calls.py', '--help')
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^`npm run bench:log`: what a call of `log` costs/)
  expect(stdout).toMatch(/Benches, each with --help: bench, bench:changes, /)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(run('scripts/demo.ts', '-h').stdout).toMatch(/^`npm run demo \[-- DIR\]`: runs the main workflow/)
})

it('refuses an option with the help, and runs the program with its arguments', () => {
  expect(run('scripts/demo.ts', '--fast')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^There is no option --fast\.\n\n`npm run demo/),
  })
  expect(run('scripts/migrate-new.ts', 'Not-A-Name')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'usage: npm run migrate:new <name_in_lower_case>\n',
  })
})
