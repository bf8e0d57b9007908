/**
 * `npm run image:check`: builds the images, starts the hub in its image as the user of the image, and asks for /readyz
 * and the first page. With a Docker daemon by Docker; else for root on Linux by running the steps of the Dockerfile in
 * a root of their own, which shows the same but for the files of the base image.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installNames } from '../src/http/install-names.ts'
import { startEmbeddedPostgres } from '../src/store/embedded-postgres.ts'
import { type BuiltStage, buildStages, firstProcessOf, sizeOf, startIn, topOf } from './image/clean-root.ts'
import { readDockerfile } from './image/dockerfile.ts'
import { contextFilter } from './image/ignored.ts'

const root = join(import.meta.dirname, '..')
const START_MS = 60_000
const STOP_MS = 30_000
const say = (line: string) => void process.stdout.write(`${line}\n`)

function fail(line: string): never {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

const hasDocker = () => spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0

if (hasDocker()) {
  for (const target of ['hub', 'worker'])
    execFileSync('docker', ['build', '--target', target, '--tag', `hub-check-${target}`, root], { stdio: 'inherit' })
  execFileSync('docker', ['image', 'ls', '--filter', 'reference=hub-check-*'], { stdio: 'inherit' })
  say('built; `deploy/up` starts the image')
} else if (process.platform === 'linux' && process.getuid?.() === 0) await checkInCleanRoot()
else fail('The check needs a Docker daemon, or root on Linux.')

async function checkInCleanRoot(): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'hub-image-'))
  try {
    const keeps = contextFilter(readFileSync(join(root, '.dockerignore'), 'utf8'))
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    })
    const files = listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)) && keeps(path))
    const cache = join(tmpdir(), 'hub-image-npm-cache')
    const stages = buildStages(
      readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8')),
      { work, context: root, files, cache },
      say,
    )
    const stage = (name: string) => stages.get(name) ?? fail(`The Dockerfile has no stage ${name}.`)
    for (const name of ['build', 'hub', 'worker'])
      say(
        `${name}: ${sizeOf(stage(name), 'hub/node_modules')} MiB of packages, ${sizeOf(stage(name), 'hub/dist')} MiB of code`,
      )
    const top = topOf(stage('hub'))
    if (top.join() !== 'dist,node_modules,package.json') fail(`The image has more than it runs: ${top.join(', ')}`)
    await checkHub(stage('hub'))
    await checkWorker(stage('worker'))
    say('the images are sound')
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function checkHub(stage: BuiltStage): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hub-image-db-'))
  const server = await startEmbeddedPostgres({ dataDir })
  const port = String(await freePort())
  // Its socket is a file of the machine, which the image does not have.
  const url = new URL(server.url)
  url.searchParams.delete('host')
  const settings = { DATABASE_URL: url.href, HUB_SECRET: randomBytes(32).toString('hex'), PORT: port }
  try {
    const begun = performance.now()
    const child = startIn(stage, [...stage.entry, ...stage.command], settings)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (output += text))
    const ended = once(child, 'exit')
    const isHealthy = async () => {
      const probe = startIn(stage, stage.healthcheck, { PORT: port })
      const [code] = await once(probe, 'exit')
      return code === 0
    }
    while (!(await isHealthy())) {
      if (child.exitCode !== null || performance.now() - begun > START_MS) fail(`The hub did not start:\n${output}`)
      await sleep(200)
    }
    say(`the hub is ready after ${Math.round(performance.now() - begun)} ms, as user ${stage.user} and process 1`)
    await checkPages(port)
    await checkOperator(stage, settings)
    const stopped = performance.now()
    process.kill(firstProcessOf(child), 'SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    const [code] = await ended
    clearTimeout(late)
    if (code !== 0) fail(`The hub ended with ${code} after SIGTERM:\n${output}`)
    say(`it stopped ${Math.round(performance.now() - stopped)} ms after SIGTERM, with code 0`)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The first page and the script that it names, and the clients. */
async function checkPages(port: string): Promise<void> {
  const origin = `http://127.0.0.1:${port}`
  const page = await fetch(origin, { headers: { accept: 'text/html' } })
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? []
  const { status } = await fetch(new URL(script, origin))
  if (!page.ok || !script || status !== 200)
    fail(`The image has no pages: / is ${page.status}, its script ${script} ${status}.`)
  for (const name of ['', ...Object.values(installNames).map((file) => `/${file}`)]) {
    const answer = await fetch(`${origin}/install${name}`)
    if (!answer.ok) fail(`The image has no clients: /install${name} is ${answer.status}.`)
  }
}

async function checkOperator(stage: BuiltStage, settings: Record<string, string>): Promise<void> {
  const command = startIn(stage, ['node', 'dist/hub.js', 'user', 'add', 'ada', '--json'], settings)
  let output = ''
  for (const stream of [command.stdout, command.stderr]) stream?.on('data', (text: Buffer) => (output += text))
  const [code] = await once(command, 'exit')
  if (code !== 0 || !output.includes('"ada"')) fail(`The operator's command fails in the image:\n${output}`)
}

async function checkWorker(stage: BuiltStage): Promise<void> {
  for (const module of ['@mujoco/mujoco', 'onnxruntime-web', 'playwright-core']) {
    const child = startIn(stage, ['node', '--input-type=module', '-e', `await import('${module}')`], {})
    const [code] = await once(child, 'exit')
    if (code !== 0) fail(`The worker's image cannot load ${module}.`)
  }
  const help = startIn(stage, [...stage.entry, ...stage.command], {})
  const [code] = await once(help, 'exit')
  if (code !== 0) fail('The worker does not start.')
  say('the worker loads MuJoCo, the model runtime and the browser driver')
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
