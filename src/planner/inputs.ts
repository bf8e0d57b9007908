/**
 * Inputs of the calculation: batch size, cameras, resolution, chunk and steps, each from the recipe, else the dataset,
 * else the registry. Pure.
 */
import { asDouble } from '@hub/formats/exact-json'
import type { DatasetFacts } from './dataset-facts.ts'
import type { Recipe } from './recipe/recipe.ts'
import type { Template } from './templates.ts'

export interface PlannerInputs {
  /** Environments of an RL template. */
  readonly batchSize: number
  readonly cameras: number
  /** Side of a square image with the same number of pixels. */
  readonly imagePx: number
  readonly chunkSize: number
  readonly steps: number
}

export interface ResolvedInputs {
  readonly inputs: PlannerInputs
  /** One sentence: each value with its source. */
  readonly why: string
  readonly warnings: readonly string[]
}

interface Sourced {
  readonly value: number
  readonly from: string
}

/** GraphQL's integers have 32 bits. */
const MAX_INT32 = 2 ** 31 - 1
const REGISTRY = 'registry'

/**
 * Resolves the inputs; a hyperparameter that is not a positive integer is ignored with a warning, since templates
 * define its meaning.
 */
export function resolveInputs(template: Template, recipe: Recipe, dataset: DatasetFacts | null): ResolvedInputs {
  const { keys, defaults } = template
  const warnings: string[] = []
  const read = (names: readonly string[], fallback: number): Sourced =>
    fromHyperparams(recipe, names, warnings) ?? { value: fallback, from: REGISTRY }
  const samples = read([keys.samples], defaults.samples)
  const steps = read(keys.steps, defaults.steps)
  const chunk = read(keys.chunkSize, defaults.chunkSize)
  const seen = template.method === 'rl' ? null : dataset
  const cameras: Sourced = seen
    ? { value: seen.cameras.length, from: 'dataset' }
    : { value: defaults.cameras, from: REGISTRY }
  const image = imagePx(template, seen)
  const parts: [string, Sourced][] = [
    [keys.samples, samples],
    ['cameras', cameras],
    ['image_px', image],
    ['chunk_size', chunk],
    ['steps', steps],
  ]
  return {
    inputs: {
      batchSize: samples.value,
      cameras: cameras.value,
      imagePx: image.value,
      chunkSize: chunk.value,
      steps: steps.value,
    },
    why: `inputs: ${parts.map(([name, { value, from }]) => `${name} ${value} (${from})`).join(', ')}`,
    warnings,
  }
}

function fromHyperparams({ hyperparams }: Recipe, names: readonly string[], warnings: string[]): Sourced | null {
  for (const name of names) {
    const given = hyperparams && Object.hasOwn(hyperparams, name) ? hyperparams[name] : undefined
    if (given === undefined || given === null) continue
    const value = asDouble(given)
    if (value !== null && Number.isInteger(value) && value >= 1 && value <= MAX_INT32)
      return { value, from: 'hyperparams' }
    warnings.push(`hyperparams.${name} is not a whole number from 1 to ${MAX_INT32}; the registry's value is used.`)
  }
  return null
}

/** The mean of the cameras' pixels, as the side of a square. */
function imagePx(template: Template, dataset: DatasetFacts | null): Sourced {
  const { imagePx: preset } = template.defaults
  if (!template.usesNativeImages) return { value: preset, from: REGISTRY }
  if (!dataset || dataset.cameras.length === 0)
    return { value: dataset ? 0 : preset, from: dataset ? 'dataset' : REGISTRY }
  const pixels = dataset.cameras.reduce((sum, { width, height }) => sum + width * height, 0)
  const side = Math.round(Math.sqrt(pixels / dataset.cameras.length))
  return { value: Math.min(side, MAX_INT32), from: 'dataset' }
}
