/** Hub and runner processes are killed during a run: every line and metric still arrives once, in order. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHubClient, type RunEvent } from '@hub/client/internal'
import { expect, it } from 'vitest'
import { kill, killableHub } from '../support/killable-hub.ts'

const hub = killableHub()
const { made } = hub

function startRunner(command: string): ChildProcess {
  const args = [
    'src/operator/hub.ts',
    'runner',
    '--owner',
    'ada',
    '--once',
    '--json',
    '--work-dir',
    join(made.base, 'runs'),
  ]
  return hub.node([...args, '--command', command], { HUB_URL: made.url, HUB_TOKEN: made.token })
}

/** Lines before each kill and after both. The trainer waits for the file that tells of the kill: however slow the machine is, it outlives neither. */
const stages = [
  { until: 150, killed: 'hub' },
  { until: 300, killed: 'runner' },
  { until: 500, killed: null },
] as const
const LINES = 500
const script = (folder: string) => `
import { appendFileSync, existsSync } from 'node:fs'
const pause = () => new Promise((done) => setTimeout(done, 20))
let iteration = 0
for (const { until, killed } of ${JSON.stringify(stages)}) {
  while (iteration < until) {
    iteration += 1
    console.log('line ' + iteration)
    appendFileSync('metrics.jsonl', JSON.stringify({ iteration, reward: iteration }) + '\\n')
    await pause()
  }
  while (killed && !existsSync(${JSON.stringify(folder)} + '/killed-' + killed)) await pause()
}
`

it('loses and duplicates nothing if hub and runner are killed in turn', async () => {
  const trainer = join(made.base, 'train.mjs')
  await writeFile(trainer, script(made.base))
  const tellOf = (killed: 'hub' | 'runner') => writeFile(join(made.base, `killed-${killed}`), '')
  const firstHub = await hub.start()
  const retry = { attempts: 100, baseMs: 50, maxMs: 500, random: Math.random }
  const client = createHubClient({ url: made.url, token: made.token, retry })
  const { id } = await client.runs.create({ recipe: { template: 'act', dataset: [] } })
  const seen: RunEvent[] = []
  const following = (async () => {
    for await (const event of client.runs.follow(id, { follow: true })) seen.push(event)
  })()
  const lines = () => seen.flatMap((event) => (event.kind === 'log' && event.stream === 'stdout' ? [event.line] : []))

  const firstRunner = startRunner(`node ${trainer}`)
  await expect.poll(() => lines().length, { timeout: 100_000 }).toBeGreaterThan(20)
  await kill(firstHub)
  const before = lines().length
  await tellOf('hub')
  const secondHub = await hub.start()
  await expect.poll(() => lines().length, { timeout: 100_000 }).toBeGreaterThan(before)
  await kill(firstRunner)
  await tellOf('runner')
  const secondRunner = startRunner('echo a second command')
  let said = ''
  secondRunner.stdout?.on('data', (chunk) => {
    said += chunk
  })
  // `exit` may come before the last output.
  const [code] = await once(secondRunner, 'close')
  expect([code, JSON.parse(said)]).toEqual([0, { run: id, status: 'succeeded', error: null }])
  await following
  const all = Array.from({ length: LINES }, (_, n) => n + 1)
  expect(lines()).toEqual(all.map((n) => `line ${n}`))
  expect(seen.flatMap((event) => (event.kind === 'metric' ? [event.line.iteration] : []))).toEqual(all)
  expect(seen.at(-1)).toMatchObject({ kind: 'end', status: 'succeeded' })
  const again: number[] = []
  for await (const event of client.runs.follow(id, { follow: false }))
    if (event.kind === 'metric') again.push(Number(event.line.iteration))
  expect(again).toEqual(all)
  await kill(secondHub)
})
