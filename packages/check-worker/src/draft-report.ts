/** A report's summary of a draft, without the card. Spec, "RobotCheckJobDraftIn". Pure. */
import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import type { Draft } from './init/draft-card.ts'
import type { PreparedModel } from './prepared-model.ts'
import type { RobotCheckRequest } from './request.ts'

export interface DraftReport {
  /** The entry that was checked. */
  readonly source: string
  /** The MJCF that the card names; null if there is none. */
  readonly mjcf_path: string | null
  /** MuJoCo's facts about the model, at most 1,000 objects of a kind. */
  readonly model: Readonly<Record<string, unknown>> | null
  readonly derived: readonly string[]
  /** For a URDF: the converted model, and the answers for it. */
  readonly conversion: Readonly<Record<string, unknown>> | null
}

const MAX_OF_A_KIND = 1_000

/** `converted`: the path of a URDF's MJCF; null for MJCF and for a model that did not compile. */
export function draftReport({
  request: { entry, options },
  draft,
  facts,
  converted,
  prepared: { urdf },
}: {
  readonly request: RobotCheckRequest
  readonly draft: Draft | null
  readonly facts: ModelFacts | null
  readonly converted: { readonly path: string } | null
  readonly prepared: PreparedModel
}): DraftReport {
  const conversion = converted && {
    from: entry,
    to: converted.path,
    discard_visual: options?.discard_visual ?? null,
    base_joint: urdf?.baseJoint ?? null,
  }
  return {
    source: entry,
    mjcf_path: draft?.card.mjcf_path ?? null,
    model: facts && shown(facts),
    derived: draft?.derived ?? [],
    conversion,
  }
}

/** Poses are in the card; of keyframes, and of joints that an actuator moves, the names are enough. */
function shown({ qpos0: _, keyframes, actuators, ...facts }: ModelFacts): Readonly<Record<string, unknown>> {
  const named = {
    ...facts,
    actuators: actuators.map((one) => ({ ...one, joints: one.joints.map((at) => facts.joints[at]?.name ?? null) })),
    keyframes: keyframes.map(({ name }) => name),
  }
  const entries = Object.entries(named)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, MAX_OF_A_KIND) : value]),
  )
}
