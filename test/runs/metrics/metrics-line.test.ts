import { describe, expect, it } from 'vitest'
import { readMetricsLine } from '../../../src/runs/metrics/metrics-line.ts'

describe('a metrics line', () => {
  it.each<[Record<string, unknown>, number | null]>([
    [{ iteration: 1, step: 2, global_step: 3, _step: 4 }, 1],
    [{ _step: 4, global_step: 3, step: 2 }, 2],
    [{ _step: 4, global_step: 3 }, 3],
    [{ _step: 0 }, 0],
    [{ iteration: null, step: 2 }, 2],
    [{ iteration: '1' }, null],
    [{ iteration: Number.NaN, _step: 5 }, 5],
    [{ 'train/step': 5 }, null],
    [{}, null],
  ])('%j has the step %s', (line, step) => {
    expect(readMetricsLine(line).step).toBe(step)
  })

  it.each<[Record<string, unknown>, string | null, number | null]>([
    [{ episode_reward: 3, mean_reward: 2, reward: 1 }, 'reward', 1],
    [{ episode_reward: 3, mean_reward: 2 }, 'mean_reward', 2],
    [{ episode_reward: -3 }, 'episode_reward', -3],
    [{ 'train/mean_reward': 5 }, 'train/mean_reward', 5],
    [{ 'eval.reward': 5 }, 'eval.reward', 5],
    [{ 'a/episode_reward': 6, 'b/reward': 7 }, 'a/episode_reward', 6],
    [{ 'train/reward': 5, reward: 0 }, 'reward', 0],
    [{ 'a/reward': 'high', 'b/reward': 7 }, 'b/reward', 7],
    [{ 'reward/total': 5 }, null, null],
    [{ total_reward: 5 }, null, null],
    [{ reward: Number.POSITIVE_INFINITY }, null, null],
    [JSON.parse('{"__proto__":{"reward":4}}'), null, null],
    [{}, null, null],
  ])('%j has the reward %s: %s', (line, rewardKey, reward) => {
    expect(readMetricsLine(line)).toMatchObject({ rewardKey, reward })
  })
})
