/**
 * A compiled model at its default pose: that of its keyframe, else the one that its joints are written in, with the
 * answers over it.
 */
import { defaultKeyframe } from './default-keyframe.ts'
import type { ModelFacts } from './model-facts.ts'
import type { Data, Model, Mujoco } from './mujoco.ts'

export interface Posed {
  /** The caller deletes it. */
  readonly data: Data
  /** Place of the keyframe; -1 where the model has none. */
  readonly keyframe: number
}

/** `pose`: positions by joint name. `named`: the keyframe that a card names. */
export function posed({
  mujoco,
  model,
  facts,
  pose,
  named = null,
}: {
  readonly mujoco: Mujoco
  readonly model: Model
  readonly facts: ModelFacts
  readonly pose: Readonly<Record<string, number>> | null
  readonly named?: string | null
}): Posed {
  const data = new mujoco.MjData(model)
  return { data, keyframe: poseAgain({ mujoco, model, data, facts, pose, named }) }
}

/** Puts `data` back to the default pose; answers the place of its keyframe. */
export function poseAgain({
  mujoco,
  model,
  data,
  facts,
  pose,
  named,
}: {
  readonly mujoco: Mujoco
  readonly model: Model
  readonly data: Data
  readonly facts: ModelFacts
  readonly pose: Readonly<Record<string, number>> | null
  readonly named: string | null
}): number {
  const keyframe = defaultKeyframe(facts, named)
  if (keyframe === -1) mujoco.mj_resetData(model, data)
  else mujoco.mj_resetDataKeyframe(model, data, keyframe)
  place(data, facts, pose)
  mujoco.mj_forward(model, data)
  return keyframe
}

function place(data: Data, { joints }: ModelFacts, pose: Readonly<Record<string, number>> | null): void {
  const byName = new Map(Object.entries(pose ?? {}))
  for (const { name, type, qpos } of joints) {
    const at = name === null ? undefined : byName.get(name)
    if (at !== undefined && (type === 'hinge' || type === 'slide')) data.qpos[qpos] = at
  }
}
