/**
 * What of a succeeded hosted run counts for everyone. Pure. A worker reports what it likes, so nothing of it is used
 * here. Of a hosted run the hub knows the tier that it placed it on and, by its own clock, how long it took; its memory
 * is what the deployed function reports, since nothing else sees it.
 */
import type { TierTable } from '../platform/tier-table.ts'
import type { PlannerInputs } from './inputs.ts'
import { hasFigures, type Template } from './templates.ts'
import { vramOf } from './vram.ts'

export interface HostedResult {
  readonly template: Template
  /** Cameras and resolution are those of the registry: the bounds are wide enough for other datasets. */
  readonly inputs: PlannerInputs
  /** The tier that was billed. */
  readonly tier: string | null
  /** The tier that the function names; null if it names none. */
  readonly reportedTier: string | null
  readonly peakVramGb: number
  /** As the function reports it. */
  readonly samplesPerS: number
  /** Iterations that the run has made since it started. */
  readonly iterations: number
  /** From the claim to the end. */
  readonly seconds: number
}

/** Measured memory is at most so many times more or less than calculated. */
const MEMORY_FACTOR = 4
/** Observed throughput is at most so many times more or less than the registry's on that tier. */
const SPEED_FACTOR = 10
/**
 * Reported and observed throughput differ at most by this. The rest of the time is that of starting and saving: a run
 * that consists of it says nothing.
 */
const AGREEMENT = 2

/**
 * Peak memory and samples per second of the whole run; null if they are not plausible, or if the registry has no
 * figures to compare them with. A run that cannot be trusted adds nothing: its values are not moved to the bound.
 */
export function observedOf(run: HostedResult, tiers: TierTable): { peakVramGb: number; samplesPerS: number } | null {
  const { template, inputs, peakVramGb } = run
  const tier = tiers.find(({ tier }) => tier === run.tier)
  if (!tier || !hasFigures(template) || (run.reportedTier ?? tier.tier) !== tier.tier) return null
  const samples = run.iterations * inputs.batchSize * template.samplesPerStep
  if (samples <= 0 || run.seconds <= 0) return null
  const samplesPerS = samples / run.seconds
  const { samplesPerS: reference, bf16Tflops } = template.reference
  const isPlausible =
    peakVramGb <= tier.vramGb &&
    isWithin(peakVramGb, vramOf(template, inputs).vramGb, MEMORY_FACTOR) &&
    isWithin(samplesPerS, (reference * tier.bf16Tflops) / bf16Tflops, SPEED_FACTOR) &&
    isWithin(run.samplesPerS, samplesPerS, AGREEMENT)
  return isPlausible ? { peakVramGb, samplesPerS } : null
}

const isWithin = (value: number, expected: number, factor: number) =>
  value >= expected / factor && value <= expected * factor
