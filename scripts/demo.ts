/**
 * `npm run demo [-- DIR]`: runs the main workflow on a new hub and prints each step. Exits with 1 if anything is wrong.
 */
import { stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHubClient, failureLine } from '@hub/client/internal'
import { walkFolder } from '@hub/client/walk'
import { callerDirectory } from '../packages/cli/src/caller-directory.ts'
import { checkAndPublish } from './demo/check.ts'
import { check } from './demo/check-that.ts'
import { askGraph, listed, pulledAgain, pushTwice, readPlain } from './demo/files.ts'
import { serveAndMove } from './demo/serve.ts'
import { startThrowawayHub, type ThrowawayHub } from './demo/throwaway-hub.ts'
import { TEMPLATE, trainAndWatch } from './demo/train.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const sample = fileURLToPath(new URL('../examples/robot', import.meta.url))

/** Runs one section and prints its duration. */
async function section<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  say(`\n${title}`)
  const result = await work()
  say(`  (${((performance.now() - startedMs) / 1000).toFixed(2)} s)`)
  return result
}

async function demo(hub: ThrowawayHub, dir: string): Promise<void> {
  const repo = { owner: 'walnut-robotics', slug: slugOf(dir) }
  const { owner } = repo
  const token = await section('Accounts, made with the operator command', () => makeAccounts(hub, owner))
  const client = createHubClient({ url: hub.url, token })
  const cacheDir = join(hub.dir, 'cache')
  const chapter = { hub, client, repo, dir, local: await walkFolder(dir), cacheDir, say }

  await section(`Push ${dir}`, () => pushTwice(chapter))
  const files = await section('List', () => listed(chapter))
  await section('Pull into an empty folder and compare every byte', () => pulledAgain(chapter))
  await section('Ask the graph', () => askGraph(chapter, token))
  const one = files.find((file) => file.path.endsWith('.xml')) ?? files[0]
  if (one)
    await section('Read one file by its plain address, as a browser does, with no credential', () =>
      readPlain(chapter, one),
    )

  const workerToken = await section('A key for the machine that executes checks and runs', () => makeWorkerKey(hub))
  await section('Check a robot: a draft card, what it needs, an answer, and a publish', () =>
    checkAndPublish({ hub, client, workerToken, owner, cacheDir, say }),
  )
  await section('Train: a run that a runner claims, with its log, metrics and checkpoints as they come', () =>
    trainAndWatch(hub, workerToken, owner, say),
  )
  await section(
    'Serve a policy: a server claims it, a person approves a device, observations become actions',
    async () => {
      const { token: personToken } = await hub.operator('session', 'add', 'ada')
      check(typeof personToken === 'string', 'The operator command gave no session.')
      const tokens = { serverToken: workerToken, deviceToken: token, personToken }
      await serveAndMove({ hub, client, ...tokens, owner, cacheDir, say })
    },
  )
}

/** Of the repo that a folder becomes. */
const slugOf = (dir: string) =>
  basename(dir)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'robot'

/** A user, an organization of hers, and her key, which it returns. */
async function makeAccounts(hub: ThrowawayHub, org: string): Promise<string> {
  await hub.operator('user', 'add', 'ada', '--name', 'Ada')
  await hub.operator('org', 'add', org, '--name', 'Walnut Robotics', '--member', 'ada:owner')
  const key = await hub.operator('key', 'add', 'ada', '--scope', 'write', '--name', 'demo')
  say(`  user ada, organisation ${org}, a write key (${key.id})`)
  check(typeof key.token === 'string', 'The operator command gave no token.')
  return key.token
}

async function makeWorkerKey(hub: ThrowawayHub): Promise<string> {
  const { id, token: made } = await hub.operator('key', 'add', 'ada', '--scope', 'train', '--name', 'machine')
  check(typeof made === 'string', 'The operator command gave no token.')
  say(`  a train key (${id}); it claims, and may not publish what it drafted`)
  return made
}

const startedMs = performance.now()
let hub: ThrowawayHub | null = null
try {
  const dir = resolve(callerDirectory('demo', process.env, process.cwd()), process.argv[2] ?? sample)
  if (!(await stat(dir).catch(() => null))?.isDirectory()) throw new Error(`${dir} is not a folder.`)
  hub = await section('A hub of its own, with a database and files that go away again', async () => {
    const started = await startThrowawayHub({ EXTRA_TEMPLATES: TEMPLATE })
    say(`  ${started.url}  (GraphiQL at /graphql, the /v1 pages at /docs)`)
    return started
  })
  await demo(hub, dir)
  say(`\nEverything held, in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`)
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${failureLine(error)}\n`)
  process.exitCode = 1
} finally {
  await hub?.close()
}
