// @module-tag full
// @module-tag long
/** The packages `hub` and `@hub/client` as others get them: packed, installed into empty folders, on every Node and npm that it is for. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { machineNode } from '@hub/testing/machine-node'
import { needs } from '@hub/testing/needs'
import { copyTree, pack } from '@hub/testing/packing'
import { build } from 'esbuild'
import manifest from 'hub/package.json' with { type: 'json' }
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installNames } from '../../src/http/install-names.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'

const root = join(import.meta.dirname, '../..')
const hub = contractHub()
let base: string
let tree: string
let tgz: string
let clientTgz: string
/** The packed client, as it is installed. */
let client: string
let ada: Person
let token: string

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ended> {
  const all = { PATH: `${dirname(program)}:/usr/bin:/bin`, HOME: base, NO_UPDATE_NOTIFIER: '1', ...env }
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env: all, maxBuffer: 2 ** 26 }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

/** Ends the test where the program does not end well. */
async function well(...given: Parameters<typeof run>): Promise<string> {
  const { code, out, err } = await run(...given)
  if (code !== 0) throw new Error(`${given[0]} ${given[1].join(' ')} ended with ${code}: ${err}${out}`)
  return out
}

const kib = (bytes: number) => `${Math.round(bytes / 1024)} KiB`
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`
const say = (line: string) => process.stdout.write(`  ${line}\n`)

/** All of this machine's environment, for npm: its home has npm's settings, and there may be a proxy. What the npm that runs the tests set is not of the machine. */
const machine = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))) as Record<
  string,
  string
>
/** npm of PATH, with the Node that runs this test. */
const npm = (...args: string[]) => well('/bin/sh', ['-c', 'exec npm "$@"', 'npm', ...args], root, machine)

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-package-'))
  tree = join(base, 'tree')
  await mkdir(tree)
  copyTree(tree)
  tgz = await pack(tree, 'hub', base)
  clientTgz = await pack(tree, '@hub/client', base)
  client = join(await consumer(), 'node_modules', '@hub', 'client')
  ada = await hub.person()
  token = await hub.key(ada, { scope: 'train' })
})
afterAll(() => rm(base, { recursive: true, force: true }))

const environment = () => ({ HUB_URL: hub.running.url, HUB_TOKEN: token })

/** The npm client of `folder`, run by a Node. */
const installer = (folder: string) => join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')

describe('the package', () => {
  it('is one program and the sources of the Python client, without dependencies, below a megabyte packed', async () => {
    const { size } = await stat(tgz)
    say(`packed: ${kib(size)}`)
    expect(size).toBeLessThan(1024 * 1024)
    const packed = await well('/usr/bin/env', ['tar', 'xzOf', tgz, 'package/package.json'], base)
    for (const text of [packed, await readFile(join(client, 'package.json'), 'utf8')])
      expect(JSON.parse(text)).not.toHaveProperty('dependencies')
    const listed = (await well('/usr/bin/env', ['tar', 'tzf', tgz], base)).trim().split('\n')
    const python = globSync('hub/**/{*.py,py.typed,METADATA}', { cwd: join(root, 'clients/python/src') })
    const files = ['README.md', 'dist/hub.mjs', 'package.json', ...python.map((path) => `dist/python/${path}`)]
    expect(listed.sort()).toEqual(files.map((path) => `package/${path}`).sort())
  })

  it('is what a hub serves at /install', async () => {
    const served = join(base, 'served.tgz')
    await writeFile(
      served,
      Buffer.from(await (await fetch(`${hub.running.url}/install/${installNames.command}`)).arrayBuffer()),
    )
    // The tree that is packed is a copy, whose packages are links to where they are.
    const anywhere = (text: string) => text.replaceAll(/"[^"\n]*?node_modules\//g, '"node_modules/')
    const listOf = async (archive: string) =>
      (await well('/usr/bin/env', ['tar', 'tzf', archive], base)).trim().split('\n').sort()
    expect(await listOf(served)).toEqual(await listOf(tgz))
    for (const file of ['README.md', 'dist/hub.mjs', 'dist/python/hub/wandb/__init__.py', 'package.json']) {
      const of = async (archive: string) =>
        anywhere(await well('/usr/bin/env', ['tar', 'xzOf', archive, `package/${file}`], base))
      const told = `${file} of generated/install is what the tree packs; else run \`npm run prepare\``
      expect((await of(served)) === (await of(tgz)), told).toBe(true)
    }
  })

  it('has a client that bundlers for browsers take, without anything of Node', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(client, 'dist', 'index.js')],
      bundle: true,
      write: false,
      minify: true,
      platform: 'browser',
      format: 'esm',
      logLevel: 'silent',
    })
    say(`client for a browser, minified: ${kib(outputFiles[0]?.contents.length ?? 0)}`)
    expect(outputFiles[0]?.text).not.toContain('node:')
  })
})

/** Starts the parts of the one file that commands start, and prints what each says first. */
const startParts = `
import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
const [, , file, path] = process.argv
const engine = fork(file, ['--part=engine-child'], { env: {} })
engine.once('message', ({ kind }) => {
  console.log('engine', kind)
  engine.disconnect()
  const model = new Worker(file, { argv: ['--part=model-thread'], workerData: { path }, execArgv: [] })
  model.once('message', ({ kind }) => {
    console.log('model', kind)
    void model.terminate()
  })
})
`

it('runs MuJoCo in a process and ONNX Runtime in a thread, which are the one file again', async () => {
  const script = join(base, 'parts.mjs')
  await writeFile(script, startParts)
  // Where the optional packages are found: in the checkout.
  const file = join(tree, 'packages/cli/dist/hub.mjs')
  const policy = join(root, 'examples/policy/policy.onnx')
  expect(await well(machineNode(), [script, file, policy], base)).toBe('engine ready\nmodel ready\n')
})

/** A project that has the package installed from its file, with the types of Node. */
async function consumer(): Promise<string> {
  const folder = await mkdtemp(join(base, 'consumer-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  await npm('install', '--loglevel=error', '--offline', '--prefix', folder, clientTgz)
  await mkdir(join(folder, 'node_modules', '@types'))
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

/** The TypeScript blocks of the page, by the name in their first line. */
async function examples(): Promise<Map<string, string>> {
  const page = await readFile(join(root, 'docs/clients.md'), 'utf8')
  return new Map(
    [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]),
  )
}

/** What must compile, and what must not, beyond the examples of the page. */
const typeRules = `
import { createClient, type Item, type Run, type TypedDocument } from '@hub/client'
import type { PushResult } from '@hub/client/folders'

const hub = createClient({ url: 'http://127.0.0.1:4000' })
export const run: Promise<string> = hub.v1.getRun({ path: { run_id: 'run_1' } }).then((found: Run) => found.status)
export const none: Promise<null> = hub.v1.deleteRepo({ path: { owner: 'a', repo: 'b' } })
export const log: Promise<Response> = hub.v1.downloadRunLog({ path: { run_id: 'run_1' } })
export const one = (item: Item<'listRepos'>): string => item.full_name
export const sent = (result: PushResult): readonly string[] => result.sent
// @ts-expect-error A path parameter is missing.
hub.v1.getRun({ path: {} })
// @ts-expect-error Every part is missing.
hub.v1.getRun()
// @ts-expect-error No such member of the body.
hub.v1.createRepo({ body: { kind: 'robot', slug: 'a', colour: 'red' } })
// @ts-expect-error No such operation.
hub.v1.flyToTheMoon()
// @ts-expect-error It answers no pages.
hub.items('getRun')
declare const document: TypedDocument<{ repo: { id: string } }, { id: string }>
export const id: Promise<string> = hub.graphql(document, { id: '1' }).then(({ repo }) => repo.id)
// @ts-expect-error The variables are missing.
hub.graphql(document)
// @ts-expect-error A variable of the wrong type.
hub.graphql(document, { id: 1 })
// @ts-expect-error No such member of the result.
hub.subscribe(document, { id: '1' }).next().then(({ value }) => value?.repo.name)
`

describe('the examples of docs/clients.md', () => {
  it('compile from the packed declarations under both resolutions, and run', async () => {
    const folder = await consumer()
    const found = await examples()
    expect([...found.keys()]).toEqual(['repos.ts', 'folders.ts', 'watch.ts'])
    for (const [name, text] of [...found, ['rules.ts', typeRules] as const]) await writeFile(join(folder, name), text)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    for (const [module, resolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const) {
      const settings = ['--strict', '--noEmit', '--types', 'node', '--target', 'es2022', '--module', module]
      const files = [...found.keys(), 'rules.ts']
      expect(
        await run(process.execPath, [tsc, ...settings, '--moduleResolution', resolution, ...files], folder),
      ).toEqual({
        code: 0,
        out: '',
        err: '',
      })
    }
    await mkdir(join(folder, 'arm'))
    await writeFile(join(folder, 'arm', 'arm.xml'), `<mujoco model="${newName()}"/>`)
    const out: string[] = []
    for (const name of found.keys()) out.push(await well(process.execPath, [name], folder, environment()))
    expect(out[0]).toBe(`${ada.handle}/sample-arm 0\n404 not_found\n`)
    expect(out[1]).toBe("[ 'arm.xml' ] []\n[ 'arm.xml' ]\n")
    expect(out[2]).toMatch(/\nQUEUED\nCANCELED\n(log\n)*end\n$/)
  })
})

/** The name of the package that is a Node of this machine. */
const nodePackage = `node-${process.platform}-${process.arch}`
const asked = ['-c', 'npm view npm@latest version --fetch-timeout=5000 --fetch-retries=0']
const isReachable = (await run('/bin/sh', asked, root, machine)).code === 0

describe('installed into an empty folder', needs(!isReachable && 'the npm registry cannot be reached'), () => {
  let tools: string
  beforeAll(async () => {
    tools = await mkdtemp(join(base, 'tools-'))
  })

  /** A Node of a major version: this machine's, the server's, or one from the registry. */
  async function nodeOf(major: number): Promise<string> {
    for (const program of [machineNode(), process.execPath])
      if ((await well(program, ['--version'], base)).startsWith(`v${major}.`)) return program
    const folder = join(tools, `node${major}`)
    await npm('install', '--silent', '--prefix', folder, `${nodePackage}@${major}`)
    return join(folder, 'node_modules', nodePackage, 'bin', 'node')
  }

  it.each([
    [20, '10.9.9'],
    [22, '11'],
    [24, '12'],
  ])('on Node %i by npm %s: logs in, pushes, pulls, submits and reads the log', async (major, version) => {
    const node = await nodeOf(major)
    const npmFolder = join(tools, `npm${version}`)
    await npm('install', '--silent', '--prefix', npmFolder, `npm@${version}`)
    const folder = await mkdtemp(join(base, `node${major}-`))
    const began = performance.now()
    await well(node, [installer(npmFolder), 'install', '--global', '--silent', '--prefix', folder, tgz], folder, {
      ...machine,
      PATH: `${dirname(node)}:${machine.PATH}`,
    })
    const took = seconds(began)
    const command = join(folder, 'bin', 'hub')
    expect(existsSync(command)).toBe(true)
    const work = await mkdtemp(join(folder, 'work-'))
    const env = { HOME: work }
    const call = (...args: string[]) => well(node, [command, ...args], work, env)
    const started = performance.now()
    expect(await call('--version')).toBe(`${manifest.version}\n`)
    say(`Node ${major}, npm ${version}: installed in ${took}; hub --version in ${seconds(started)}`)
    await well(node, [command, 'login'], work, { ...env, ...environment() })
    await mkdir(join(work, 'arm'))
    // Bytes that the hub does not have yet, so that they are sent.
    await writeFile(join(work, 'arm', 'arm.xml'), `<mujoco model="${newName()}"/>`)
    const repo = `${ada.handle}/${newName()}`
    expect(await call('push', 'arm', repo, '--kind', 'robot')).toContain('sent 1 file')
    await call('pull', repo, 'copy')
    expect(await readdir(join(work, 'copy'))).toEqual(['arm.xml'])
    expect(await call('model', join(root, 'examples/robot'), 'scene.xml')).toContain('All 4 checks passed.')
    const { id } = JSON.parse(await call('submit', '--template', 'act', '--robot', repo, '--json'))
    await call('cancel', id)
    // Exit code 1: the run that was followed to its end did not succeed.
    const followed = await run(node, [command, 'logs', id, '--follow'], work, env)
    expect([followed.code, followed.err]).toEqual([1, expect.stringContaining('the run has ended: canceled')])
    expect(await readdir(join(folder, 'lib', 'node_modules'))).toEqual(['hub'])
  })
})
