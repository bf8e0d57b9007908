/** The page on robot checks agrees with the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { engineLimits } from '../../packages/check-worker/src/engine/limits.ts'
import { stillsLimits } from '../../packages/check-worker/src/stills/limits.ts'
import { simulationChecks } from '../../packages/check-worker/src/validate/simulation-checks.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/check-worker.md'), 'utf8')

it('has every check of the simulation, and no other', () => {
  const codes = simulationChecks({ notRun: '' }, { entry: '', undecided: null, toldAbove: false }).map(
    ({ code }) => code,
  )
  expect([...page.matchAll(/^\| `(sim\.\w+)`/gm)].map(([, code]) => code)).toEqual(codes)
})

it('has the limits of the engine', () => {
  const { processorS, memoryMiB, steppingS, filesBytes, simulatedS } = engineLimits
  expect(page).toContain(`| processor time, compiling and stepping together | ${processorS} s,`)
  expect(page).toContain(`| memory of the engine | ${memoryMiB / 1024} GiB |`)
  expect(page).toContain(`| processor time of the stepping | ${steppingS} s |`)
  expect(page).toContain(`| files that the model needs | ${filesBytes / 1024 ** 2} MiB |`)
  expect(page).toContain(`The model is stepped for ${simulatedS} s of its own time`)
})

it('has the limits of the stills', () => {
  const { timeS, memoryMiB, sceneBytes, pngBytes } = stillsLimits
  expect(page).toContain(`| time, by the clock, and processor time of each process of Chromium | ${timeS} s |`)
  expect(page).toContain(`| memory that each process of Chromium may ask for | ${memoryMiB / 1024} GiB |`)
  expect(page).toContain(`| visible meshes | ${sceneBytes / 1024 ** 2} MiB:`)
  expect(page).toContain(`| one picture | ${pngBytes / 1024 ** 2} MiB |`)
})
