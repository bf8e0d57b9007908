/**
 * `npm run demo [-- DIR]`: runs the main workflow on a new hub and prints each step. Exits with 1 if anything is wrong.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHubClient, failureLine, pullRepo, pushFolder } from '@hub/client/internal'
import { walkFolder } from '@hub/client/walk'
import { countText, sizeText } from 'hub/client-output'
import { callerDirectory } from '../packages/cli/src/caller-directory.ts'
import { checkAndPublish } from './demo/check.ts'
import { serveAndMove } from './demo/serve.ts'
import { startThrowawayHub, type ThrowawayHub } from './demo/throwaway-hub.ts'
import { TEMPLATE, trainAndWatch } from './demo/train.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const sample = fileURLToPath(new URL('../examples/robot', import.meta.url))

function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

/** Runs one section and prints its duration. */
async function section<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  say(`\n${title}`)
  const result = await work()
  say(`  (${((performance.now() - startedMs) / 1000).toFixed(2)} s)`)
  return result
}

async function demo(hub: ThrowawayHub, dir: string): Promise<void> {
  const slug =
    basename(dir)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'robot'
  const repo = { owner: 'walnut-robotics', slug }
  const token = await section('Accounts, made with the operator command', async () => {
    await hub.operator('user', 'add', 'ada', '--name', 'Ada')
    await hub.operator('org', 'add', repo.owner, '--name', 'Walnut Robotics', '--member', 'ada:owner')
    const key = await hub.operator('key', 'add', 'ada', '--scope', 'write', '--name', 'demo')
    say(`  user ada, organisation ${repo.owner}, a write key (${key.id})`)
    check(typeof key.token === 'string', 'The operator command gave no token.')
    return key.token
  })
  const client = createHubClient({ url: hub.url, token })
  const cacheDir = join(hub.dir, 'cache')
  const local = await walkFolder(dir)

  await section(`Push ${dir}`, async () => {
    const first = await pushFolder(client, repo, dir, { cacheDir, kind: 'robot', visibility: 'public' })
    check(first.failed.length === 0, `Not sent: ${first.failed.map(({ path, why }) => `${path} (${why})`).join(', ')}`)
    check(first.sent.length === local.length, `Sent ${first.sent.length} of ${local.length} files.`)
    say(`  sent ${countText(first.sent.length, 'file')}, ${sizeText(first.sentBytes)}, to ${first.repo}`)
    const again = await pushFolder(client, repo, dir, { cacheDir })
    check(again.sent.length === 0, `A second push sent ${again.sent.length} files again.`)
    say(`  pushed once more: nothing to send, ${countText(again.skipped, 'file')} already there`)
  })

  const files = await section('List', async () => {
    const listed = []
    for await (const page of client.tree(repo)) listed.push(...page)
    check(listed.length === local.length, `The tree lists ${listed.length} of ${local.length} files.`)
    for (const file of listed.slice(0, 12))
      say(`  ${sizeText(file.size).padStart(9)}  ${file.sha256?.slice(0, 12) ?? 'not hashed'}  ${file.path}`)
    if (listed.length > 12) say(`  … and ${listed.length - 12} more`)
    return listed
  })

  const copy = join(hub.dir, 'pulled')
  await section('Pull into an empty folder and compare every byte', async () => {
    const pulled = await pullRepo(client, repo, copy, { cacheDir })
    check(
      pulled.failed.length === 0,
      `Not fetched: ${pulled.failed.map(({ path, why }) => `${path} (${why})`).join(', ')}`,
    )
    for (const file of local) {
      const same = (await readFile(file.file)).equals(await readFile(join(copy, ...file.path.split('/'))))
      check(same, `${file.path} came back different.`)
    }
    check((await walkFolder(copy)).length === local.length, 'The pulled folder holds other files than the pushed one.')
    say(`  ${countText(pulled.fetched.length, 'file')}, ${sizeText(pulled.fetchedBytes)}: all the same`)
  })

  await section('Ask the graph', async () => {
    const query =
      'query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { fullName kind visibility ' +
      'fileSummary { count totalBytes verifiedCount } } }'
    const response = await fetch(`${hub.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables: repo }),
    })
    const answer = (await response.json()) as {
      data?: { repo?: { fileSummary?: { count?: number } } }
      errors?: unknown
    }
    check(answer.errors === undefined, `GraphQL refused: ${JSON.stringify(answer.errors)}`)
    check(
      answer.data?.repo?.fileSummary?.count === local.length,
      `GraphQL counts otherwise: ${JSON.stringify(answer.data)}`,
    )
    say(`  ${JSON.stringify(answer.data.repo)}`)
  })

  const one = files.find((file) => file.path.endsWith('.xml')) ?? files[0]
  if (one) {
    await section('Read one file by its plain address, as a browser does, with no credential', async () => {
      const address = `${hub.url}/v1/repos/${repo.owner}/${repo.slug}/resolve/${one.path.split('/').map(encodeURIComponent).join('/')}`
      const response = await fetch(address)
      check(response.ok, `${address} answered ${response.status}.`)
      const bytes = Buffer.from(await response.arrayBuffer())
      check(
        one.sha256 === null || createHash('sha256').update(bytes).digest('hex') === one.sha256,
        `${address} gave other bytes.`,
      )
      say(`  ${address}\n  ${sizeText(bytes.length)}, the bytes of ${one.path}`)
    })
  }

  const workerToken = await section('A key for the machine that executes checks and runs', async () => {
    const { id, token: made } = await hub.operator('key', 'add', 'ada', '--scope', 'train', '--name', 'machine')
    check(typeof made === 'string', 'The operator command gave no token.')
    say(`  a train key (${id}); it claims, and may not publish what it drafted`)
    return made
  })

  await section('Check a robot: a draft card, what it needs, an answer, and a publish', () =>
    checkAndPublish({ hub, client, workerToken, owner: repo.owner, cacheDir, say }),
  )

  await section('Train: a run that a runner claims, with its log, metrics and checkpoints as they come', async () => {
    await trainAndWatch(hub, workerToken, repo.owner, say)
  })

  await section(
    'Serve a policy: a server claims it, a person approves a device, observations become actions',
    async () => {
      const { token: personToken } = await hub.operator('session', 'add', 'ada')
      check(typeof personToken === 'string', 'The operator command gave no session.')
      const tokens = { serverToken: workerToken, deviceToken: token, personToken }
      await serveAndMove({ hub, client, ...tokens, owner: repo.owner, cacheDir, say })
    },
  )
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
