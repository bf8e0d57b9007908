/** Rollouts in processes of their own. MuJoCo and ONNX Runtime run for real. */
import { expect, test } from 'vitest'
import { openLoop, runToEnd } from '../src/loop/closed-loop.ts'
import type { EpisodeStep } from '../src/loop/episode.ts'
import { RolloutRefused } from '../src/processes/one-process.ts'
import { runRollouts } from '../src/processes/run-rollouts.ts'
import { exampleJob } from './support/examples.ts'
import { pendulum } from './support/simulated.ts'

const { signal } = new AbortController()
const job = await exampleJob()

test('a process does what the loop does here, to the bit', async () => {
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
  const contract = { ...(job.contract as object), observation: { blocks: ['command'] } }
  const refused = runRollouts({ job: { ...job, contract }, seeds: [1], parallel: 1, signal })
  await expect(refused).rejects.toThrow(RolloutRefused)
  await expect(refused).rejects.toThrow('The policy sees "command": the simulation has no such term.')
})
