/**
 * `npm run bench:start -- [OTHER_CHECKOUT]`: starts of a hub as `npm start` starts it, with the embedded PostgreSQL: the
 * first one, which makes the database, and later ones. Seconds until it is ready, processor time of its process until
 * then, and what of it is resident 10 s later, without PostgreSQL. With another checkout, its starts by turns.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { startThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { median, residentMib, seconds } from './measure.ts'
import { spentMs, threadTimes } from './processor-time.ts'

const [other] = process.argv.slice(2)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const IDLE_MS = 10_000

interface Start {
  readonly seconds: number
  readonly processorMs: number
  readonly residentMib: number
}

type StartHub = typeof startThrowawayHub

async function starterOf(root: string): Promise<StartHub> {
  const hubs = (await import(join(root, 'scripts/demo/throwaway-hub.ts'))) as { startThrowawayHub: StartHub }
  return hubs.startThrowawayHub
}

async function startOf(startHub: StartHub, dataDir: string): Promise<Start> {
  const opened: { hub?: Awaited<ReturnType<StartHub>> } = {}
  const took = await seconds(async () => {
    opened.hub = await startHub({ HUB_DATA_DIR: dataDir })
  })
  const { hub } = opened
  if (!hub) throw new Error('no hub')
  const processorMs = spentMs(new Map(), threadTimes(hub.pid))
  await pause(IDLE_MS)
  const resident = await residentMib(hub.pid)
  await hub.close()
  return { seconds: took, processorMs, residentMib: resident }
}

const home = await mkdtemp(join(tmpdir(), 'hub-bench-start-'))
const checkouts = [join(import.meta.dirname, '../..'), ...(other ? [resolve(other)] : [])]
const starters = await Promise.all(
  checkouts.map(async (root) => ({ root, start: await starterOf(root), starts: new Map<string, Start[]>() })),
)
for (let round = 0; round < ROUNDS; round += 1)
  for (const { root, start, starts } of starters) {
    const dataDir = join(home, `${checkouts.indexOf(root)}-${round}`)
    for (const name of ['first', 'later']) {
      const made = await startOf(start, dataDir)
      starts.set(name, [...(starts.get(name) ?? []), made])
    }
    await rm(dataDir, { recursive: true, force: true })
  }
const { version } = JSON.parse(await readFile(join(checkouts[0] ?? '', 'package.json'), 'utf8')) as { version: string }
console.log(`hub ${version}, Node ${process.version}, ${ROUNDS} rounds, medians`)
console.log('| start of | which | until ready | processor | resident |\n|---|---|---|---|---|')
for (const { root, starts } of starters)
  for (const [name, made] of starts) {
    const of = (value: (start: Start) => number) => median(made.map(value))
    const [took, processor, resident] = [of((s) => s.seconds), of((s) => s.processorMs), of((s) => s.residentMib)]
    console.log(
      `| ${root} | ${name} | ${took.toFixed(2)} s | ${processor.toFixed(0)} ms | ${resident.toFixed(0)} MiB |`,
    )
  }
await rm(home, { recursive: true, force: true })
