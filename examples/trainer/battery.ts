/**
 * An example battery for a runner: evaluates a checkpoint's policy from a few initial states, each with several seeds and the recipe's delay, and
 * writes its verdicts. Spec: `hub runner --help`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { random } from './evolve.ts'
import { fromUpright, type Pendulum, step } from './pendulum.ts'
import { act } from './policy.ts'

const env = (name: string, preset: string) => process.env[name] ?? preset
const seeds = Number(env('HUB_GATE_SEEDS', '3'))
const delay = Number(env('HUB_GATE_DELAY', '2'))
/** 0.05 s per step. */
const steps = Math.round(Number(env('HUB_GATE_HORIZON_S', '10')) / 0.05)

const starts: Readonly<Record<string, Pendulum>> = {
  upright: { angle: 0.1, speed: 0 },
  level: { angle: Math.PI / 2, speed: 0 },
  hanging: { angle: Math.PI, speed: 0 },
  spinning: { angle: Math.PI, speed: 4 },
}
const names = Object.keys(starts).slice(0, Number(env('HUB_GATE_CELL_COUNT', '4')))

const checkpoint: unknown = JSON.parse(readFileSync(join(env('HUB_CHECKPOINT_DIR', '.'), 'policy.json'), 'utf8'))
const { hidden, parameters } = checkpoint as { hidden: number; parameters: number[] }
const policy = Float64Array.from(parameters)

/** The largest angle from upright in the last second; each torque takes effect `delay` steps after it was chosen. */
function lastOff(start: Pendulum): number {
  const pendulum = { ...start }
  const torques = Array.from({ length: delay }, () => 0)
  let off = 0
  for (let at = 0; at < steps; at += 1) {
    torques.push(act(policy, hidden, pendulum))
    step(pendulum, torques.shift() ?? 0)
    if (at >= steps - 20) off = Math.max(off, Math.abs(fromUpright(pendulum)))
  }
  return off
}

/** Each seed perturbs the initial state slightly. */
const rollouts = names.map((name) => {
  const { angle, speed } = starts[name] as Pendulum
  return Array.from({ length: seeds }, (_, seed) => {
    const next = random(seed + 1)
    return lastOff({ angle: angle + 0.2 * (next() - 0.5), speed: speed + 0.2 * (next() - 0.5) })
  })
})
const cells = rollouts.map((offs, at) => {
  const worst = Math.max(...offs)
  return { name: names[at], status: worst < 0.3 ? 'PASS' : 'FAIL', detail: `at most ${worst.toFixed(2)} rad off` }
})
/** A seed is alive if it ends in the upper half, whatever its initial state. */
const alive = Array.from({ length: seeds }, (_, seed) =>
  rollouts.every((offs) => (offs[seed] ?? Math.PI) < Math.PI / 2),
)
const results = { cells, seeds_run: seeds, seeds_alive: alive.filter(Boolean).length }
writeFileSync(env('HUB_GATE_RESULTS', 'results.json'), `${JSON.stringify(results)}\n`)
for (const { name, status, detail } of cells) console.log(`${status} ${name} ${detail}`)
