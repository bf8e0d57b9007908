/** How long a training takes on a tier. Pure. */
import type { HardwareTier, TierTable } from '../platform/tier-table.ts'
import type { PlannerInputs } from './inputs.ts'
import type { Measured } from './measured.ts'
import type { Template } from './templates.ts'
import { rounded } from './vram.ts'

interface TimeFacts {
  readonly template: Template
  readonly inputs: PlannerInputs
  readonly tier: HardwareTier
  readonly measured: Measured | null
  readonly tiers: TierTable
}

/**
 * The registry's reference throughput, or the measured one, scaled by the tiers' BF16 throughput; hours to four
 * decimals.
 */
export function timeOf({ template, inputs, tier, measured, tiers }: TimeFacts): {
  hours: number
  why: readonly string[]
} {
  const base = measured ? measuredBase(measured, tiers) : template.reference
  const scale = tier.bf16Tflops / base.bf16Tflops
  const exact = base.samplesPerS * scale
  // Avoid division by a value that rounds to zero.
  const samplesPerS = rounded(exact) || exact
  const samples = inputs.steps * inputs.batchSize * template.samplesPerStep
  const perStep = template.samplesPerStep === 1 ? '' : ` x ${template.samplesPerStep}`
  const hours = rounded(samples / samplesPerS / 3600, 4)
  const from = measured ? 'measured' : 'reference'
  return {
    hours,
    why: [
      `samples: ${inputs.steps} steps x ${inputs.batchSize}${perStep} = ${samples}`,
      `throughput on ${tier.tier}: ${rounded(base.samplesPerS)} samples/s (${from}, ${base.tier}) x ${tier.bf16Tflops} / ${base.bf16Tflops} TFLOPS = ${samplesPerS} samples/s`,
      `time: ${samples} / ${samplesPerS} / 3600 = ${hours} h`,
    ],
  }
}

/** Throws for a tier of another deployment, which `readMeasured` never returns. */
function measuredBase({ tier, samplesPerS }: Measured, tiers: TierTable) {
  const bf16Tflops = tiers.find((candidate) => candidate.tier === tier)?.bf16Tflops
  if (bf16Tflops === undefined) throw new Error(`${tier} is not a tier of this deployment.`)
  return { tier, samplesPerS, bf16Tflops }
}
