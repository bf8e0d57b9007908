/**
 * Rollouts in processes of their own, with MuJoCo and ONNX Runtime; of those that are killed no rollout is lost, and
 * none counts twice.
 */
import { expect, test } from 'vitest'
import { openLoop, runToEnd } from '../src/loop/closed-loop.ts'
import type { EpisodeStep } from '../src/loop/episode.ts'
import { rolloutLimits } from '../src/processes/limits.ts'
import { RolloutRefused } from '../src/processes/one-process.ts'
import { runRollouts } from '../src/processes/run-rollouts.ts'
import { exampleJob } from './support/examples.ts'
import { pendulum } from './support/simulated.ts'

const { signal } = new AbortController()
const seeds = Array.from({ length: 100 }, (_, place) => place + 1)

test('a process does what the loop does here, to the bit', async () => {
  const job = await exampleJob()
  const episodes: (readonly EpisodeStep[] | null)[] = []
  const done = await runRollouts({
    job,
    seeds: [3, 4, 5],
    parallel: 1,
    record: true,
    signal,
    done: (_outcome, episode) => episodes.push(episode),
  })
  expect(done).toMatchObject({ joints: ['pivot'], rateHz: 20, notes: [], redone: 0 })
  const { face, contract, task, policy } = pendulum
  const [world, model] = [pendulum.world(), await policy()]
  for (const [place, seed] of [3, 4, 5].entries()) {
    const { map, disturbance } = job
    const loop = openLoop({ world, face, contract, map, policy: model, task, seed, disturbance })
    expect(done.outcomes[place]).toEqual(await runToEnd(loop))
    expect(episodes[place]).toEqual(loop.episode())
    loop.close()
  }
})

test('what the simulation lacks is told before any rollout', async () => {
  const job = await exampleJob()
  const contract = { ...(job.contract as object), observation: { blocks: ['command'] } }
  const refused = runRollouts({ job: { ...job, contract }, seeds: [1], parallel: 1, signal })
  await expect(refused).rejects.toThrow(RolloutRefused)
  await expect(refused).rejects.toThrow('The policy sees "command": the simulation has no such term.')
})

test('a hundred in parallel with a process killed: none lost, none twice', { timeout: 300_000 }, async () => {
  const job = await exampleJob()
  const whole = await runRollouts({ job, seeds, parallel: 1, signal })
  const told: number[] = []
  const pids: number[] = []
  const killed = await runRollouts({
    job,
    seeds,
    parallel: 3,
    signal,
    started: (pid) => pids.push(pid),
    done({ seed }) {
      told.push(seed)
      // The process that is in the middle of one: those that are done have told it.
      if (told.length === 20 || told.length === 50) process.kill(-(pids.at(-1) ?? 0), 'SIGKILL')
    },
  })
  expect(pids.length).toBeGreaterThan(3)
  expect(killed.redone).toBeGreaterThan(0)
  expect(told.toSorted((a, b) => a - b)).toEqual(seeds)
  // To the bit what one process does alone.
  expect(killed.outcomes).toEqual(whole.outcomes)
})

test('a rollout that ends its process each time is given up, by its seed', async () => {
  const job = await exampleJob()
  const limits = { ...rolloutLimits, attempts: 2 }
  const ended = runRollouts({
    job,
    seeds: [1, 2],
    parallel: 1,
    limits,
    signal,
    started: (pid) => process.kill(-pid, 'SIGKILL'),
  })
  await expect(ended).rejects.toThrow(/^The rollout of seed 1 ended its process 2 times\. It ended with SIGKILL\./)
})

test('an abort ends all of them', async () => {
  const job = await exampleJob()
  const abort = new AbortController()
  const running = runRollouts({
    job,
    seeds,
    parallel: 2,
    signal: abort.signal,
    done: () => abort.abort(new Error('enough')),
  })
  await expect(running).rejects.toThrow('enough')
})
