import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const trainer = fileURLToPath(new URL('../../examples/trainer/train.ts', import.meta.url))
const battery = fileURLToPath(new URL('../../examples/trainer/battery.ts', import.meta.url))
let base: string
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-trainer-'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

/** Trains with these hyperparameters in a new folder. */
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
  it('learns, and writes the files that a runner reports', async () => {
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
  it('is deterministic for a seed', async () => {
    const small = { iterations: 3, episodes: 2, pairs: 4 }
    const [one, same, other] = await Promise.all([train(small), train(small), train({ ...small, seed: 2 })])
    expect(same.rewards).toEqual(one.rewards)
    expect(other.rewards).not.toEqual(one.rewards)
  })
  it('writes checkpoints that the example battery gates as the recipe asks', async () => {
    const { dir } = await train({ iterations: 40, episodes: 4, checkpoint_every: 40 })
    const gate = async (asked: Record<string, string>) => {
      const results = join(dir, `results-${Object.values(asked).join('-')}.json`)
      const env = {
        ...process.env,
        ...asked,
        HUB_CHECKPOINT_DIR: join(dir, 'checkpoints/step_40'),
        HUB_GATE_RESULTS: results,
      }
      await new Promise<void>((resolve, reject) => {
        execFile(process.execPath, [battery], { env }, (error) => (error ? reject(error) : resolve()))
      })
      return JSON.parse(await readFile(results, 'utf8'))
    }
    const found = await gate({ HUB_GATE_SEEDS: '5' })
    expect([found.cells.length, found.seeds_run]).toEqual([4, 5])
    expect(found.seeds_alive).toBeLessThanOrEqual(5)
    for (const { status, detail } of found.cells)
      expect([status, detail]).toEqual([expect.stringMatching(/^(PASS|FAIL)$/), expect.stringMatching(/ rad off$/)])
    expect((await gate({ HUB_GATE_CELL_COUNT: '1', HUB_GATE_SEEDS: '1' })).cells).toMatchObject([{ name: 'upright' }])
  })
})
