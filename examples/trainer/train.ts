/**
 * An example trainer for a runner: recipe on standard input, log on standard output, everything else as files in the working directory.
 * It trains a small network to swing up a pendulum, in about ten seconds on one core, deterministically per seed.
 */
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { evolution, gaussian, random } from './evolve.ts'
import { EPISODE_STEPS, type Pendulum } from './pendulum.ts'
import { parameterCount, play } from './policy.ts'

const defaults = {
  iterations: 120,
  pairs: 24,
  episodes: 8,
  hidden: 16,
  sigma: 0.3,
  learning_rate: 0.03,
  seed: 1,
  checkpoint_every: 40,
}

const recipe: unknown = JSON.parse((await text(process.stdin)) || '{}')
const settings = withDefaults(recipe)
const { iterations, hidden } = settings

/** Only known names with numeric values. */
function withDefaults(given: unknown): typeof defaults {
  const found = (given as { hyperparams?: Record<string, unknown> | null }).hyperparams ?? {}
  const known = Object.keys(defaults) as (keyof typeof defaults)[]
  return Object.fromEntries(
    known.map((name) => [name, typeof found[name] === 'number' ? found[name] : defaults[name]]),
  ) as typeof defaults
}

process.once('SIGTERM', () => {
  console.log('stop requested; keeping the last checkpoint')
  process.exit(143)
})

console.log(`training ${parameterCount(hidden)} parameters for ${iterations} iterations, seed ${settings.seed}`)
const config = Object.entries(settings).map(([name, value]) => `  ${name}: ${value}\n`)
writeFileSync('config.yaml', `task: pendulum-swing-up\nepisode_steps: ${EPISODE_STEPS}\nalgorithm:\n${config.join('')}`)

const next = random(settings.seed)
const noise = gaussian(next)
/** Evenly spaced angles, so that all iterations are equally hard. */
const allAround = (): Pendulum[] => {
  const turned = next()
  return Array.from({ length: settings.episodes }, (_, at) => ({
    angle: (2 * Math.PI * (at + turned)) / settings.episodes,
    speed: 2 * next() - 1,
  }))
}
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const startedMs = performance.now()
const start = Float64Array.from({ length: parameterCount(hidden) }, noise)
const search = evolution(start, { ...settings, learningRate: settings.learning_rate, noise })

function averageReward(parameters: Float64Array, starts: readonly Pendulum[]): number {
  return mean(starts.map((from) => play(parameters, hidden, from).reward))
}

for (let iteration = 1; iteration <= iterations; iteration += 1) {
  // All candidates of an iteration share the same initial states.
  const starts = allAround()
  const reward = search.iterate((parameters) => averageReward(parameters, starts))
  const seconds = (performance.now() - startedMs) / 1000
  const episodes = iteration * settings.pairs * 2 * settings.episodes
  const line = {
    iteration,
    reward: round(reward),
    episodes,
    samples_per_s: Math.round((episodes * EPISODE_STEPS) / seconds),
  }
  appendFileSync('metrics.jsonl', `${JSON.stringify(line)}\n`)
  if (iteration % 10 === 0 || iteration === 1)
    console.log(
      `iteration ${String(iteration).padStart(4)}  reward ${line.reward.toFixed(1).padStart(8)}  ${seconds.toFixed(1)} s`,
    )
  if (iteration % settings.checkpoint_every === 0 || iteration === iterations) saveCheckpoint(iteration)
  // Lets signal handlers run between iterations.
  await turn()
}
saveScorecard()

/** Atomic: written under another name, then renamed. */
function saveCheckpoint(iteration: number): void {
  const [dir, fresh] = [`checkpoints/step_${iteration}`, `checkpoints/step_${iteration}.new`]
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  const policy = { kind: 'mlp', inputs: ['cos', 'sin', 'speed / 4'], hidden, parameters: [...search.parameters] }
  writeFileSync(`${fresh}/policy.json`, `${JSON.stringify(policy)}\n`)
  writeFileSync(`${fresh}/config.json`, `${JSON.stringify({ iteration, ...settings }, null, 2)}\n`)
  renameSync(fresh, dir)
  console.log(`checkpoint ${dir}`)
}

function saveScorecard(): void {
  const hanging = play(search.parameters, hidden, { angle: Math.PI, speed: 0 })
  const around = Array.from({ length: 24 }, (_, at) =>
    play(search.parameters, hidden, { angle: (2 * Math.PI * at) / 24, speed: 0 }),
  )
  const upright = around.filter(({ lastOff }) => lastOff < 0.2).length
  const average = mean(around.map(({ reward }) => reward))
  const gates = [
    row(
      'swings up from hanging',
      hanging.lastOff < 0.2,
      `at most ${round(hanging.lastOff)} rad off in the last second`,
    ),
    row('upright from all around', upright >= 22, `${upright} of 24 starts`),
    row('mean reward of 130 or more', average >= 130, `${round(average)}`),
  ]
  writeFileSync('scorecard.json', `${JSON.stringify({ gates }, null, 2)}\n`)
  for (const gate of gates) console.log(`${gate.status}  ${gate.name}: ${gate.detail}`)
}

function row(name: string, holds: boolean, detail: string) {
  return { name, status: holds ? 'PASS' : 'FAIL', detail }
}

function round(value: number): number {
  return Number(value.toPrecision(6))
}
