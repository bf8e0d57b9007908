/** The command line from any folder: paths begin where a person stands, and a hub is found or named, never made in passing. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registerClientCommands } from '../../src/cli/client-commands.ts'
import { registerRunCommands } from '../../src/cli/run-commands.ts'
import { standingIn } from '../../src/cli/standing-in.ts'
import { type HubDouble, startHubDouble } from '../client/hub-double.ts'
import { runCommandLine } from '../support/command-line.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = join(root, 'src', 'cli', 'hub.ts')
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

/** A process that stands in `cwd`, with no setting but those given. */
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
  })
  afterEach(() => double.close())
  const push = () => ['push', '.', 'o/s', '--include', 'only-here.txt', '--json', '--url', double.url]

  it('begin where npm was called, though npm runs the command in the folder of the hub', async () => {
    const ended = await run('npm', ['--prefix', root, 'run', '--silent', 'hub', '--', ...push()], here)
    expect(ended).toMatchObject({ code: 0, err: '' })
    expect([JSON.parse(ended.out).sent, [...double.files.keys()]]).toEqual([['only-here.txt'], ['only-here.txt']])
  })

  it('begin in the folder of the process when the command is run directly, whatever npm left in its environment', async () => {
    const left = { INIT_CWD: base, npm_lifecycle_event: 'hub', npm_package_json: join(root, 'package.json') }
    expect(JSON.parse((await hub(push(), here, left)).out).sent).toEqual(['only-here.txt'])
  })

  it('are those of pull, of a recipe and of a token file too', async () => {
    double.store('a.txt', Buffer.from('a'))
    await writeFile(join(here, 'token'), 'a-token\n')
    const env = { HUB_URL: double.url, HOME: base }
    const command = (register: typeof registerClientCommands, ...args: string[]) =>
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
    ['something that npm called changed the folder', called, '/else', '/else'],
    ['npm had no part in it', {}, root, root],
  ])('begin, when %s, with %j and in %s, in %s', (_, env, cwd, folder) => {
    expect(standingIn('hub', env, cwd)).toBe(folder)
  })
  it('know the package by a link to it', async () => {
    await symlink(root, join(base, 'link'))
    const env = { ...called, npm_package_json: join(base, 'link', 'package.json') }
    expect(standingIn('hub', env, await realpath(root))).toBe('/there')
  })
})

describe('a folder without a hub', () => {
  it.each([
    [['user', 'add', 'ada']],
    [['org', 'add', 'lab']],
    [['key', 'add', 'ada', '--scope', 'read']],
    [['session', 'add', 'ada']],
    [['signing-key', 'rotate']],
    [['migrate']],
    [['doctor']],
  ])('gets none by %j: it is told how one is named', async (args) => {
    const ended = await hub(args, here)
    expect(ended.code).toBe(1)
    expect(`${ended.out}${ended.err}`).toMatch(
      new RegExp(`No hub here: ${join(here, '.hub')} holds none\\..*HUB_DATA_DIR.*DATABASE_URL`),
    )
    expect(await readdir(here)).toEqual([])
  })

  it('gets one by a start, which says where it is', async () => {
    const env = { PATH: process.env.PATH ?? '', HOME: base, PORT: '0', LOG_LEVEL: 'silent' }
    const started = spawn(process.execPath, [join(root, 'src', 'main.ts')], {
      cwd: here,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const said: string[] = []
      for await (const line of createInterface({ input: started.stdout })) {
        said.push(line)
        if (line.includes('data ')) break
      }
      expect(said.at(-1)?.trim()).toBe(`data       ${join(here, '.hub')}`)
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
  }, 120_000)
})
