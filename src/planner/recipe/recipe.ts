/**
 * A recipe: the specification of a run. It is stored in `/v1` names, with defaults filled in and other absent members
 * absent: this form is hashed and read by runners. Spec, "Recipe".
 */

import { canonicalSha256 } from '@hub/formats/canonical-hash'
import { datasetRefText } from '@hub/formats/dataset-ref'
import { longNameText, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { jsonObject } from '../../platform/json-object-rule.ts'
import { maybe, number, object, objectOf, oneOf, text, texts } from '../../store/read-json.ts'

/** A recipe as submitted, in `/v1` names, without absent members. */
export type RecipeDocument = Readonly<Record<string, unknown>>

export type RunExecutor = 'worker' | 'hosted'
export type VideoMode = 'full' | 'poster' | 'none'
export const tripwireMetrics = ['pass_rate', 'alive_rate', 'gates_passed'] as const
export const tripwireOps = ['<', '<=', '>', '>='] as const

export interface GateTripwire {
  readonly metric: (typeof tripwireMetrics)[number]
  readonly op: (typeof tripwireOps)[number]
  readonly threshold: number
  readonly from_step?: number | null
  readonly consecutive?: number | null
}

/** Gate checkpoints in simulation while the run trains. */
export interface CheckpointGateSpec {
  readonly every_steps: number
  readonly battery?: string | null
  readonly seeds?: number | null
  readonly delay?: number | null
  readonly executor?: RunExecutor | null
  readonly tripwires?: readonly GateTripwire[] | null
  readonly video?: VideoMode | null
  readonly horizon_s?: number | null
  readonly cell_count?: number | null
}

export interface Recipe {
  readonly template: string
  readonly dataset?: readonly string[] | null
  readonly robot?: string | null
  readonly hyperparams?: Readonly<Record<string, unknown>> | null
  readonly gpu?: string | null
  readonly max_hours?: number | null
  readonly executor?: RunExecutor | null
  readonly budget_usd?: number | null
  readonly gate?: CheckpointGateSpec | null
  readonly parent_checkpoint_step?: number | null
}

/** Reads a stored one, which createRun or importRun wrote. */
export const readRecipe = objectOf<Recipe>({
  template: text,
  dataset: maybe(texts),
  robot: maybe(text),
  hyperparams: maybe(object),
  gpu: maybe(text),
  max_hours: maybe(number),
  executor: maybe(oneOf('worker', 'hosted')),
  budget_usd: maybe(number),
  gate: maybe(objectOf<Pick<CheckpointGateSpec, 'every_steps'>>({ every_steps: number })),
  parent_checkpoint_step: maybe(number),
})

export const DEFAULT_MAX_HOURS = 4
/** Defaults of a gate. */
export const gateDefaults = { battery: 'watch', seeds: 3, delay: 2, fromStep: 0, consecutive: 1 } as const

const step = z.int().min(0)

const freeForm = jsonObject.meta({ type: 'object', additionalProperties: true })

/** Validation rules of recipe members, by GraphQL name. */
export const recipeRules = {
  template: wordText,
  dataset: z.array(datasetRefText).max(100),
  robot: longNameText,
  hyperparams: freeForm,
  gpu: wordText,
  maxHours: z.number().positive().max(720),
  budgetUsd: z.number().min(0.0001).max(1_000_000_000),
  parentCheckpointStep: step,
  everySteps: z.int().min(1),
  battery: wordText,
  seeds: z.int().min(1).max(1000),
  delay: z.int().min(0).max(1000),
  tripwires: z.array(z.unknown()).max(20),
  horizonS: z.number().positive().max(3600),
  cellCount: z.int().min(1).max(10_000),
  threshold: z.number(),
  fromStep: step,
  consecutive: z.int().min(1).max(1000),
} as const

/** The recipe with defaults filled in: this form is stored and hashed, so that clients can recompute the hash. */
export function filledRecipe(recipe: Recipe): Recipe {
  const { dataset, gate } = recipe
  return { ...recipe, dataset: dataset ?? [], ...(gate && { gate: filledGate(gate) }) }
}

function filledGate(gate: CheckpointGateSpec): CheckpointGateSpec {
  return {
    ...gate,
    battery: gate.battery ?? gateDefaults.battery,
    seeds: gate.seeds ?? gateDefaults.seeds,
    delay: gate.delay ?? gateDefaults.delay,
    tripwires: (gate.tripwires ?? []).map((tripwire) => ({
      ...tripwire,
      from_step: tripwire.from_step ?? gateDefaults.fromStep,
      consecutive: tripwire.consecutive ?? gateDefaults.consecutive,
    })),
  }
}

/** Contract, "Numbers of free-form JSON": null and absent members are equivalent. */
export const recipeHash = (recipe: Recipe): string => canonicalSha256(recipe)
