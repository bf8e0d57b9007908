// @module-tag full
// @module-tag long
/** The command line from any folder: paths are relative to the caller, and no command creates a hub by accident. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { RegisterCommands } from 'hub/program'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callerDirectory } from '../../packages/cli/src/caller-directory.ts'
import { registerClientCommands } from '../../packages/cli/src/client-commands.ts'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { type HubDouble, startHubDouble } from '../../packages/client/test/hub-double.ts'
import { runCommandLine } from '../support/command-line.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = join(root, 'src', 'operator', 'hub.ts')
let base: string
let here: string

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'hub-anywhere-')))
  here = join(base, 'here')
  await mkdir(here)
})
afterEach(() => rm(base, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A process in `cwd` with only these environment variables. */
function run(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ended> {
  const all = { PATH: process.env.PATH ?? '', HOME: base, ...env }
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env: all }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}
const hub = (args: readonly string[], cwd: string, env: Record<string, string> = {}) =>
  run(process.execPath, [entry, ...args], cwd, env)

describe('relative paths', () => {
  let double: HubDouble
  beforeEach(async () => {
    double = await startHubDouble()
    await writeFile(join(here, 'only-here.txt'), 'x')
    await writeFile(join(base, 'token'), 'a-token\n')
  })
  afterEach(() => double.close())
  const push = () => [
    'push',
    '.',
    'o/s',
    '--include',
    'only-here.txt',
    '--json',
    '--url',
    double.url,
    '--token-file',
    join(base, 'token'),
  ]

  it('start where npm was called, although npm runs the command in the hub package', async () => {
    const ended = await run('npm', ['--prefix', root, 'run', '--silent', 'hub', '--', ...push()], here)
    expect(ended).toMatchObject({ code: 0, err: '' })
    expect([JSON.parse(ended.out).sent, [...double.files.keys()]]).toEqual([['only-here.txt'], ['only-here.txt']])
  })

  it('start in the working directory if the command is run directly, even with npm variables in the environment', async () => {
    const left = { INIT_CWD: base, npm_lifecycle_event: 'hub', npm_package_json: join(root, 'package.json') }
    expect(JSON.parse((await hub(push(), here, left)).out).sent).toEqual(['only-here.txt'])
  })

  it('apply to pull, recipes and token files too', async () => {
    double.store('a.txt', Buffer.from('a'))
    await writeFile(join(here, 'token'), 'a-token\n')
    const env = { HUB_URL: double.url, HOME: base }
    const command = (register: RegisterCommands, ...args: string[]) =>
      runCommandLine(register, [...args, '--token-file', 'token'], env, undefined, here)
    expect(await command(registerClientCommands, 'pull', 'o/s', 'copy')).toMatchObject({ code: 0 })
    expect(await readdir(join(here, 'copy'))).toEqual(['a.txt'])
    await writeFile(join(here, 'recipe.json'), '[]')
    const submitted = await command(registerRunCommands, 'submit', 'recipe.json')
    expect(submitted.err).toContain('is not a recipe')
  })

  const called = { INIT_CWD: '/there', npm_lifecycle_event: 'hub', npm_package_json: join(root, 'package.json') }
  it.each([
    ['npm called it', called, root, '/there'],
    ['npm called another script', { ...called, npm_lifecycle_event: 'test' }, root, root],
    [
      'npm called a script of another package',
      { ...called, npm_package_json: '/other/package.json' },
      '/other',
      '/other',
    ],
    ['a script called by npm changed the directory', called, '/else', '/else'],
    ['npm was not used', {}, root, root],
  ])('if %s (%j, in %s), start in %s', (_, env, cwd, folder) => {
    expect(callerDirectory('hub', env, cwd)).toBe(folder)
  })
  it('recognize the package through a symbolic link', async () => {
    await symlink(root, join(base, 'link'))
    const env = { ...called, npm_package_json: join(base, 'link', 'package.json') }
    expect(callerDirectory('hub', env, await realpath(root))).toBe('/there')
  })
})

describe('a folder without a hub', () => {
  const commands = [
    ['user', 'add', 'ada'],
    ['org', 'add', 'lab'],
    ['key', 'add', 'ada', '--scope', 'read'],
    ['session', 'add', 'ada'],
    ['signing-key', 'rotate'],
    ['migrate'],
    ['doctor'],
  ]
  it.each(commands.map((args) => [args]))('gets none from %j, which explains how to select one', async (args) => {
    const ended = await hub(args, here)
    expect(ended.code).toBe(1)
    expect(`${ended.out}${ended.err}`).toMatch(
      new RegExp(`No hub in ${join(here, '.hub')}\\..*HUB_DATA_DIR.*DATABASE_URL`),
    )
    expect(await readdir(here)).toEqual([])
  })

  it('gets one from a server start, which prints its location', async () => {
    const env = { PATH: process.env.PATH ?? '', HOME: base, PORT: '0', LOG_LEVEL: 'silent' }
    const started = spawn(process.execPath, [join(root, 'src', 'main.ts')], {
      cwd: here,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const printed: string[] = []
      for await (const line of createInterface({ input: started.stdout })) {
        printed.push(line)
        if (line.includes('data ')) break
      }
      expect(printed.at(-1)?.trim()).toBe(`data       ${join(here, '.hub')}`)
      expect(await hub(['user', 'add', 'ada', '--json'], here)).toMatchObject({ code: 0, err: '' })
      expect(await hub(['user', 'add', 'bob', '--json'], base, { HUB_DATA_DIR: join(here, '.hub') })).toMatchObject({
        code: 0,
      })
      expect(await hub(['user', 'add', 'carol', '--json'], base)).toMatchObject({ code: 1 })
    } finally {
      const ended = once(started, 'exit')
      started.stdout.resume()
      started.kill('SIGTERM')
      await ended
    }
    expect(await hub(['doctor', '--json'], here)).toMatchObject({ code: 0 })
  })
})
