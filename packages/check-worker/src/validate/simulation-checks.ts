/** MuJoCo's own findings, as checks of the report. `fail` means broken: it does not compile, or explodes. Pure. */
import { type Check, check } from '@hub/mjcf/verdict/check'
import type { EngineLimits } from '../engine/limits.ts'
import type { SimulationFacts } from '../engine/protocol.ts'
import type { EngineRun } from '../engine/run-engine.ts'
import { contactsCheck, rangesCheck, restCheck, stableCheck } from './motion-checks.ts'

/** The engine's run over a model, or why there was none. */
export type Trial = { readonly run: EngineRun; readonly limits: EngineLimits } | { readonly notRun: string }

export interface TriedModel {
  readonly entry: string
  /** Why MuJoCo may reject a correct model: it needs a plugin. */
  readonly undecided: string | null
  /** Whether a static check already fails, with more detail than MuJoCo. */
  readonly toldAbove: boolean
}

const motionCodes = ['sim.stable', 'sim.joint_ranges', 'sim.contacts', 'sim.rest'] as const

/** `sim.compiles`, `sim.stable`, `sim.joint_ranges`, `sim.contacts` and `sim.rest`, always all five. */
export function simulationChecks(trial: Trial, model: TriedModel): Check[] {
  if ('notRun' in trial) return ['sim.compiles', ...motionCodes].map((code) => check(code, 'skip', trial.notRun))
  const { run, limits } = trial
  const compiles = compilesCheck(run, limits, model)
  if (!run.facts) return [compiles, ...motionCodes.map((code) => check(code, 'skip', 'The model was not compiled.'))]
  if (!run.simulation) return [compiles, ...motionEnded(run, limits)]
  return [compiles, ...motionChecks(run.simulation, limits)]
}

function motionChecks(simulation: SimulationFacts, limits: EngineLimits): Check[] {
  const stable = stableCheck(simulation, limits)
  if (stable.status !== 'fail')
    return [stable, rangesCheck(simulation), contactsCheck(simulation), restCheck(simulation)]
  const exploded = 'The model explodes, so the final positions of its joints mean nothing.'
  return [
    stable,
    check('sim.joint_ranges', 'skip', exploded),
    contactsCheck(simulation),
    check('sim.rest', 'skip', exploded),
  ]
}

function compilesCheck({ facts, end }: EngineRun, limits: EngineLimits, model: TriedModel): Check {
  const { entry } = model
  if (facts) {
    const data = { joints: facts.joints.length, actuators: facts.actuators.length, nq: facts.nq, nv: facts.nv }
    return check('sim.compiles', 'pass', `MuJoCo compiles ${entry}.`, { data })
  }
  const names = [entry]
  switch (end.why) {
    case 'refused': {
      if (model.undecided !== null) return check('sim.compiles', 'skip', `${model.undecided} MuJoCo: ${end.error}`)
      const what = end.stage === 'converted' ? `the MJCF that it made of ${entry}` : entry
      const hint = model.toldAbove
        ? 'The checks above name the file and the line.'
        : 'Load the model in MuJoCo on your machine and fix what it reports.'
      return check('sim.compiles', 'fail', `MuJoCo does not compile ${what}: ${end.error}`, { names, hint })
    }
    case 'time':
    case 'memory':
      return check('sim.compiles', 'fail', `Compiling ${entry} takes ${overLimit(end.why, limits)}.`, {
        names,
        hint: SMALLER,
        data: limitData(end.why, limits),
      })
    default:
      return check('sim.compiles', 'skip', `The engine ended while it compiled ${entry}, without a verdict.`, {
        data: end.why === 'crash' ? { error: end.error } : null,
      })
  }
}

/** Compiled, and the engine ended in the steps. */
function motionEnded({ end }: EngineRun, limits: EngineLimits): Check[] {
  if (end.why !== 'time' && end.why !== 'memory') {
    const data = end.why === 'crash' ? { error: end.error } : null
    return motionCodes.map((code) => check(code, 'skip', 'The engine ended while it stepped the model.', { data }))
  }
  const message = `Stepping the model takes ${overLimit(end.why, limits)}.`
  const [stable, ...others] = motionCodes
  return [
    check(stable, 'fail', message, { hint: SMALLER, data: limitData(end.why, limits) }),
    ...others.map((code) => check(code, 'skip', message)),
  ]
}

const SMALLER = 'Make the model smaller: fewer copies, coarser meshes and height fields, less memory in <size>.'

const overLimit = (why: 'time' | 'memory', { processorS, memoryMiB }: EngineLimits) =>
  why === 'time' ? `longer than ${processorS} s` : `more than ${memoryMiB} MiB of memory`

const limitData = (why: 'time' | 'memory', { processorS, memoryMiB }: EngineLimits) =>
  why === 'time' ? { limit_s: processorS } : { limit_mib: memoryMiB }
