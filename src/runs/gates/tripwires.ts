/** Decides whether gate results stop the run. Pure. Spec, GateTripwire. */
import { type GateTripwire, gateDefaults } from '../../planner/recipe/recipe.ts'

/** The results of gating the checkpoint of one step. */
export interface GatedCheckpoint {
  readonly step: number
  readonly passCount: number
  readonly cellCount: number
  readonly aliveCount: number
  readonly seedCount: number
  readonly rolloutId: string | null
}

export interface FiredTripwire {
  readonly tripwire: GateTripwire
  /** The newest of the checkpoints that satisfy it. */
  readonly checkpoint: GatedCheckpoint
  readonly value: number
}

const compare: Readonly<Record<GateTripwire['op'], (value: number, threshold: number) => boolean>> = {
  '<': (value, threshold) => value < threshold,
  '<=': (value, threshold) => value <= threshold,
  '>': (value, threshold) => value > threshold,
  '>=': (value, threshold) => value >= threshold,
}

/** Null if nothing was run: then no comparison is true. */
function rateOrCount(metric: GateTripwire['metric'], gated: GatedCheckpoint): number | null {
  if (metric === 'gates_passed') return gated.cellCount > 0 ? gated.passCount : null
  if (metric === 'pass_rate') return gated.cellCount > 0 ? gated.passCount / gated.cellCount : null
  return gated.seedCount > 0 ? gated.aliveCount / gated.seedCount : null
}

/**
 * The first tripwire, in the recipe's order, that the last `consecutive` checkpoints at or past `from_step` all
 * satisfy; null with fewer of them.
 */
export function firedTripwire(
  tripwires: readonly GateTripwire[],
  gated: readonly GatedCheckpoint[],
): FiredTripwire | null {
  const byStep = gated.toSorted((a, b) => a.step - b.step)
  for (const tripwire of tripwires) {
    const consecutive = tripwire.consecutive ?? gateDefaults.consecutive
    const from = tripwire.from_step ?? gateDefaults.fromStep
    // The last ones are the ones past it: a list of all of them for each tripwire is what most of the time went to.
    const last = byStep.slice(-consecutive).filter(({ step }) => step >= from)
    const values = last.map((checkpoint) => rateOrCount(tripwire.metric, checkpoint))
    const checkpoint = last.at(-1)
    const value = values.at(-1) ?? null
    const holds = values.every((each) => each !== null && compare[tripwire.op](each, tripwire.threshold))
    if (holds && last.length === consecutive && checkpoint && value !== null) return { tripwire, checkpoint, value }
  }
  return null
}

/** The line for the run's log: tripwire, step and rollout. */
export function tripwireNotice({ tripwire, checkpoint, value }: FiredTripwire): string {
  const { metric, op, threshold } = tripwire
  const consecutive = tripwire.consecutive ?? gateDefaults.consecutive
  const over = consecutive > 1 ? ` over the last ${consecutive} gated checkpoints` : ''
  const rollout = checkpoint.rolloutId === null ? 'no rollout' : `rollout ${checkpoint.rolloutId}`
  return `Tripwire ${metric} ${op} ${threshold} fired at step ${checkpoint.step} (${rollout}): ${metric} is ${+value.toFixed(4)}${over}. The run is asked to stop.`
}
