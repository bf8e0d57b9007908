import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../src/platform/config.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-tiers-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function tiersOf(text: string) {
  const path = join(dir, 'tiers.json')
  await writeFile(path, text)
  return readConfig({ HARDWARE_TIERS_FILE: path }).tiers
}

const row = (change: object = {}) => ({ tier: 'x', vram_gb: 16, bf16_tflops: 50, rate_usd_per_hour: 0.5, ...change })

describe('the table of tiers', () => {
  it('is, unless a file says otherwise, that of the published rates, smallest first', () => {
    const tiers = readConfig({}).tiers.map(({ description: _, nodeSelector: __, ...tier }) => Object.values(tier))
    expect(tiers).toEqual([
      ['l4', 24, 121, '0.7992'],
      ['a10g', 24, 70, '1.1016'],
      ['l40s', 48, 362, '1.9512'],
      ['a100', 80, 312, '2.4984'],
      ['h100', 80, 989, '3.9492'],
    ])
  })

  it('is read from a file and sorted by memory, then rate', async () => {
    const rows = [row({ vram_gb: 32 }), row({ tier: 'b', rate_usd_per_hour: 2 }), row({ tier: 'a' })]
    expect((await tiersOf(JSON.stringify(rows))).map(({ tier }) => tier)).toEqual(['a', 'b', 'x'])
    expect((await tiersOf(JSON.stringify([row()])))[0]).toMatchObject({
      description: 'x, 16 GB',
      rateUsdPerHour: '0.5000',
    })
  })

  it.each([
    ['no JSON', '[', /is not JSON/],
    ['an empty list', '[]', /at least one tier/],
    ['a member that is not known', JSON.stringify([row({ vram: 1 })]), /0:.*"vram"/],
    ['no memory', JSON.stringify([row({ vram_gb: 0 })]), /0\.vram_gb:/],
    [
      'a rate without end',
      '[{"tier":"x","vram_gb":1,"bf16_tflops":1,"rate_usd_per_hour":1e999}]',
      /0\.rate_usd_per_hour:/,
    ],
    ['one tier twice', JSON.stringify([row(), row()]), /names the tier x twice/],
  ])('with %s stops the start and says where', async (_, text, message) => {
    await expect(tiersOf(text)).rejects.toThrow(ConfigError)
    await expect(tiersOf(text)).rejects.toThrow(message)
    await expect(tiersOf(text)).rejects.toThrow(/HARDWARE_TIERS_FILE/)
  })

  it('that cannot be read stops the start and is named', () => {
    const missing = join(dir, 'nothing.json')
    expect(() => readConfig({ HARDWARE_TIERS_FILE: missing })).toThrow(
      `Invalid configuration: HARDWARE_TIERS_FILE: ${missing} cannot be read: ENOENT`,
    )
  })
})

describe('the settings of runs and hosting', () => {
  it('have defaults with which nothing is hosted', () => {
    const { runs, hosted } = readConfig({ OPERATOR_HANDLE: 'boss' })
    expect(runs).toEqual({
      leaseSeconds: 300,
      logKeptSeconds: 0,
      maxAttempts: 5,
      dailyGpuHourQuota: 24,
      maxArtifactBytes: 4 * 1024 * 1024,
      metricsArchiveAfterSeconds: 7 * 86_400,
      extraTemplates: [],
      headroom: 0.2,
    })
    expect(hosted).toMatchObject({
      appName: null,
      kubernetes: null,
      command: null,
      owners: ['boss'],
      simOwners: ['boss'],
    })
    expect(hosted).toMatchObject({ simHostRateUsdPerHour: '0.3500', allowanceUsd: '5.0000' })
  })

  it('read lists of owners and templates', () => {
    const settings = { HOSTED_OWNERS: 'ada, bob,', SIM_HOSTED_OWNERS: 'ada,*', EXTRA_TEMPLATES: 'my-net, other' }
    const { runs, hosted } = readConfig(settings)
    expect([hosted.owners, hosted.simOwners, runs.extraTemplates]).toEqual([
      ['ada', 'bob'],
      'everyone',
      ['my-net', 'other'],
    ])
  })

  it.each([
    [{ HOSTED_OWNERS: 'Ada' }, 'HOSTED_OWNERS'],
    [{ HOSTED_BACKEND: 'cloud' }, 'HOSTED_BACKEND'],
    [{ RUN_DAILY_GPU_HOUR_QUOTA: '-1' }, 'RUN_DAILY_GPU_HOUR_QUOTA'],
    [{ RUN_LEASE_SECONDS: '0' }, 'RUN_LEASE_SECONDS'],
    [{ PLANNER_HEADROOM: '20%' }, 'PLANNER_HEADROOM'],
    [{ SIM_HOST_RATE_USD_PER_HOUR: '0.12345' }, 'SIM_HOST_RATE_USD_PER_HOUR'],
    [{ EXTRA_TEMPLATES: 'x'.repeat(65) }, 'EXTRA_TEMPLATES'],
  ])('%o is refused', (settings, name) => {
    expect(() => readConfig(settings)).toThrow(name)
  })
})
