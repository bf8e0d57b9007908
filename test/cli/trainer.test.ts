import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const trainer = fileURLToPath(new URL('../../examples/trainer/train.ts', import.meta.url))
let base: string
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-trainer-'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

/** Trains with these hyperparameters in a folder of its own. */
async function train(hyperparams: object) {
  const dir = await mkdtemp(join(base, 'run-'))
  const log = await new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, [trainer], { cwd: dir }, (error, out) =>
      error ? reject(error) : resolve(out),
    )
    child.stdin?.end(JSON.stringify({ template: 'pendulum', hyperparams }))
  })
  const text = (name: string) => readFile(join(dir, name), 'utf8')
  const metrics = (await text('metrics.jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { dir, log, text, metrics, rewards: metrics.map(({ reward }) => reward as number) }
}

describe('the example trainer', () => {
  it('learns, and leaves what a runner takes', async () => {
    const { dir, log, text, rewards, metrics } = await train({ iterations: 40, episodes: 4, checkpoint_every: 15 })
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    expect(mean(rewards.slice(-5))).toBeGreaterThan(mean(rewards.slice(0, 5)) + 50)
    expect(metrics.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    expect((await readdir(join(dir, 'checkpoints'))).sort()).toEqual(['step_15', 'step_30', 'step_40'])
    expect(JSON.parse(await text('checkpoints/step_40/policy.json')).parameters).toHaveLength(81)
    expect(await text('config.yaml')).toContain('algorithm:\n  iterations: 40\n')
    expect(JSON.parse(await text('scorecard.json')).gates).toHaveLength(3)
    expect(log).toMatch(/^training 81 parameters for 40 iterations, seed 1\niteration {4}1 /)
  })
  it('does the same for the same seed, and another thing for another', async () => {
    const small = { iterations: 3, episodes: 2, pairs: 4 }
    const [one, same, other] = await Promise.all([train(small), train(small), train({ ...small, seed: 2 })])
    expect(same.rewards).toEqual(one.rewards)
    expect(other.rewards).not.toEqual(one.rewards)
  })
})
