// @module-tag long
/**
 * A policy that sees by a camera, in processes beside which Chromium draws: it reaches what it sees, and whichever of
 * them is killed on its way, no rollout is lost and none counts twice.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRollouts } from '../src/processes/run-rollouts.ts'
import { seekerJob } from './support/seeker.ts'

const chromium = await findChromium(process.env.HUB_CHROMIUM, process.env.PATH)
const { signal } = new AbortController()
/** It ends what hangs, on a machine that draws by its processor and has other things to do. */
const timeout = 600_000

/** Where Chromium's folders are made: empty after each run. */
let temporary: string
const before = process.env.TMPDIR
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'hub-pictures-test-'))
  process.env.TMPDIR = temporary
})
afterAll(async () => {
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await rm(temporary, { recursive: true, force: true })
})

/** The process groups of the Chromiums that run now, or begin to; one that is about to begin has none yet. */
const groups = () =>
  readdirSync(temporary)
    .filter((name) => name.startsWith('hub-stills-'))
    .map((name) => groupIn(join(temporary, name, 'group')))

function groupIn(path: string): number | null {
  try {
    return Number(readFileSync(path, 'utf8')) || null
  } catch {
    return null
  }
}

/** Those that have ended meanwhile too. Of groups whose number is known: 0 would be this one. */
function killGroups(known: readonly (number | null | undefined)[]) {
  for (const group of known) {
    if (!group) continue
    try {
      process.kill(-group, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

describe('a policy that sees by a camera', needs('missing' in chromium && chromium.missing), () => {
  test('reaches the ball that it sees, names what drew it, and reaches none that is not to be seen', {
    timeout,
  }, async () => {
    const job = await seekerJob(join(temporary, 'seen'))
    let pictures = 0
    const drew = (count: number) => {
      pictures += count
    }
    const seen = await runRollouts({ job, seeds: [1, 2, 3], parallel: 1, signal, chromium, drew })
    expect(seen.outcomes.map(({ ending }) => ending)).toEqual(['reached', 'reached', 'reached'])
    expect(seen.drawnBy).toMatch(/^Chromium \d+\.[\d.]+, three\.js r\d+, .*SwiftShader/)
    expect(seen.notes.join()).toContain('It sees pictures')
    // One for each decision.
    expect(pictures).toBe(seen.outcomes.reduce((sum, { steps }) => sum + steps, 0))
    const hidden = await seekerJob(join(temporary, 'hidden'), { ball: 0 })
    const blind = await runRollouts({ job: hidden, seeds: [1, 2], parallel: 1, signal, chromium })
    expect(blind.outcomes.map(({ ending }) => ending)).toEqual(['missed', 'missed'])
    expect(groups()).toEqual([])
  })

  test('reaches it by layers of convolutions of a larger picture too', { timeout }, async () => {
    const job = await seekerJob(join(temporary, 'deep'), { isDeep: true })
    const { outcomes } = await runRollouts({ job, seeds: [1, 2], parallel: 1, signal, chromium })
    expect(outcomes.map(({ ending }) => ending)).toEqual(['reached', 'reached'])
    const hidden = await seekerJob(join(temporary, 'deep-hidden'), { isDeep: true, ball: 0 })
    const blind = await runRollouts({ job: hidden, seeds: [1], parallel: 1, signal, chromium })
    expect(blind.outcomes.map(({ ending }) => ending)).toEqual(['missed'])
  })

  test('loses no rollout to a process or a Chromium that is killed, and none counts twice', { timeout }, async () => {
    const job = await seekerJob(join(temporary, 'killed'))
    const seeds = Array.from({ length: 12 }, (_, place) => place + 1)
    const told: number[] = []
    const pids: number[] = []
    let drawn = 0
    const found = await runRollouts({
      ...{ job, seeds, parallel: 2, signal, chromium },
      started: (pid) => pids.push(pid),
      done: ({ seed }) => told.push(seed),
      drew() {
        drawn += 1
        // In the middle of a rollout: the first is long over its first pictures, and the last is far away.
        if (drawn === 20) killGroups([pids.at(-1)])
        if (drawn === 50) killGroups(groups())
      },
    })
    expect(drawn).toBeGreaterThan(50)
    expect(pids.length).toBeGreaterThanOrEqual(4)
    expect(found.redone).toBeGreaterThanOrEqual(2)
    expect(told.toSorted((a, b) => a - b)).toEqual(seeds)
    expect(found.outcomes.map(({ seed, success }) => [seed, success])).toEqual(seeds.map((seed) => [seed, true]))
    expect(groups()).toEqual([])
  })
})

test('a policy that sees by a camera is refused where there is no Chromium, in words that help', {
  timeout,
}, async () => {
  const job = await seekerJob(join(temporary, 'missing'))
  const missing = 'HUB_CHROMIUM is off.'
  await expect(runRollouts({ job, seeds: [1], parallel: 1, signal, chromium: { missing } })).rejects.toThrow(
    `nothing here draws them. ${missing}`,
  )
  // One that is no browser is tried again, and named then.
  const broken = { program: '/bin/false' }
  await expect(runRollouts({ job, seeds: [1], parallel: 1, signal, chromium: broken })).rejects.toThrow(
    /^The rollout of seed 1 ended its process 3 times\. Chromium did not start/,
  )
  expect(groups()).toEqual([])
})
