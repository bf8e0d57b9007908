/** The training part of the demo: submits a run, starts a runner for it, and follows its log. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHubClient, type RemoteRun } from '@hub/client/internal'
import { sparkText } from '../../packages/cli/src/run-output.ts'
import type { ThrowawayHub } from './throwaway-hub.ts'
import { startWorker } from './worker-process.ts'

const trainer = fileURLToPath(new URL('../../examples/trainer/train.ts', import.meta.url))

/** Must be listed in `EXTRA_TEMPLATES`. */
export const TEMPLATE = 'pendulum'

/** Submits the run, starts a runner, and prints the log as it arrives. Rejects if the run does not succeed. */
export async function trainAndWatch(
  hub: ThrowawayHub,
  token: string,
  owner: string,
  say: (line: string) => void,
): Promise<RemoteRun> {
  const client = createHubClient({ url: hub.url, token })
  const hyperparams = { iterations: 100, checkpoint_every: 50, seed: 1, run_name: 'swing-up' }
  const { id } = await client.runs.create({ recipe: { template: TEMPLATE, dataset: [], hyperparams }, owner })
  say(`  submitted ${id}`)
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(trainer)}`
  const options = ['--owner', owner, '--once', '--command', command, '--work-dir', join(hub.dir, 'runs')]
  const runner = startWorker(hub, token, ['runner', '--name', 'demo', ...options])
  try {
    let metrics = 0
    for await (const event of client.runs.follow(id, { follow: true })) {
      if (event.kind === 'log') say(`  | ${event.line}`)
      if (event.kind === 'metric') metrics += 1
    }
    await runner.ended
    const run = await client.runs.get(id)
    if (run.status !== 'succeeded') throw new Error(`The run is ${run.status}: ${run.error ?? 'no reason given'}`)
    if (metrics !== hyperparams.iterations)
      throw new Error(`${metrics} of ${hyperparams.iterations} metrics lines came.`)
    const steps = await client.runs.checkpointSteps(id)
    if (steps.join() !== '50,100') throw new Error(`The checkpoints are those of the steps ${steps.join()}.`)
    const points = run.sparkline?.points ?? []
    say(`  reward ${points[0]?.[1]} ${sparkText(run.sparkline, 40)} ${points.at(-1)?.[1]}`)
    say(`  checkpoints ${steps.join(', ')} in ${run.output_model_repo?.full_name}`)
    return run
  } finally {
    runner.stop()
  }
}
