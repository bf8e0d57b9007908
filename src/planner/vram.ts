/**
 * The memory of a training step, one line of arithmetic at a time: each line's result is rounded before the next one
 * uses it, so that a reader can redo it. Pure.
 */
import type { PlannerInputs } from './inputs.ts'
import type { Template } from './templates.ts'

/** Half up; GB have two decimals, per-sample values four. */
export function rounded(value: number, decimals = 2): number {
  const unit = 10 ** decimals
  return Math.round((value + Number.EPSILON) * unit) / unit
}

/**
 * Multiple of the parameter bytes: LoRA freezes them and trains a small part; full training adds gradients, optimizer
 * state and master weights.
 */
const TRAINING_FACTOR = { lora: 1.6, full: 6, rl: 6 } as const

/** Image side that the registry's activation figures refer to. */
const REFERENCE_PX = 224

export interface VramEstimate {
  readonly vramGb: number
  readonly why: readonly string[]
}

/**
 * Runtime floor + params x bytes x factor + samples x activations, raised to the published floor of the method, if any.
 */
export function vramOf(template: Template, inputs: PlannerInputs): VramEstimate {
  const { params, bytesPerParam, runtimeFloorGb, publishedFloorGb } = template
  const factor = TRAINING_FACTOR[template.method]
  const weightsGb = rounded(params * bytesPerParam * factor)
  const sample = sampleOf(template, inputs)
  const activationsGb = rounded(inputs.batchSize * sample.gb)
  const sumGb = rounded(runtimeFloorGb + weightsGb + activationsGb)
  const why = [
    `runtime floor: ${runtimeFloorGb} GB`,
    `parameters: ${params} B x ${bytesPerParam} bytes x ${factor} (${template.method}) = ${weightsGb} GB`,
    `one ${unitOf(template)}: ${sample.terms} = ${sample.gb} GB`,
    `activations: ${inputs.batchSize} ${unitOf(template)}s x ${sample.gb} GB = ${activationsGb} GB`,
    `sum: ${runtimeFloorGb} GB + ${weightsGb} GB + ${activationsGb} GB = ${sumGb} GB`,
  ]
  if (publishedFloorGb === null) return { vramGb: sumGb, why }
  const isRaised = publishedFloorGb > sumGb
  const verdict = isRaised ? `more than ${sumGb} GB, so it is used` : `not more than ${sumGb} GB`
  return {
    vramGb: isRaised ? publishedFloorGb : sumGb,
    why: [...why, `published floor: ${publishedFloorGb} GB, ${verdict}`],
  }
}

function sampleOf({ activationGb }: Template, { cameras, imagePx, chunkSize }: PlannerInputs) {
  const { image, chunkStep, sample } = activationGb
  const terms: string[] = []
  let gb = 0
  if (image > 0) {
    gb += cameras * (imagePx / REFERENCE_PX) ** 2 * image
    terms.push(`${cameras} cameras x (${imagePx} / ${REFERENCE_PX} px)^2 x ${image} GB`)
  }
  if (chunkStep > 0) {
    gb += chunkSize * chunkStep
    terms.push(`${chunkSize} chunk steps x ${chunkStep} GB`)
  }
  if (sample > 0) {
    gb += sample
    terms.push(`${sample} GB`)
  }
  return { gb: rounded(gb, 4), terms: terms.join(' + ') }
}

const unitOf = ({ method }: Template) => (method === 'rl' ? 'environment' : 'sample')
