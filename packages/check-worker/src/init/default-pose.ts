/** The robot's pose before a policy moves it: the answer, else that of a keyframe or of the model itself. Pure. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { defaultKeyframe } from '@hub/robot-view/physics/default-keyframe'
import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import { type Need, need } from '../request.ts'
import type { DrivenJoint } from './driven-joints.ts'

export interface DefaultPose {
  readonly members: Pick<EmbodimentInterface, 'default_pose' | 'default_keyframe' | 'init_base_height_m'>
  /** Of `members`, those read off the model. */
  readonly derived: readonly string[]
  readonly needs: readonly Need[]
}

/** `given`: the pose of the answer, kept unchanged. `isUrdf`: the model has no place of its own in the world. */
export function defaultPoseOf({
  facts,
  joints,
  given,
  floating,
  isUrdf,
}: {
  readonly facts: ModelFacts
  readonly joints: readonly DrivenJoint[]
  readonly given: Readonly<Record<string, number>> | null
  readonly floating: boolean
  readonly isUrdf: boolean
}): DefaultPose {
  const place = defaultKeyframe(facts)
  const keyframe = facts.keyframes[place]
  const qpos = keyframe?.qpos ?? facts.qpos0
  const height = floating && !isUrdf ? baseHeight(facts, joints, qpos) : null
  const base = height === null ? {} : { init_base_height_m: height }
  const heightNeeds = floating && height === null ? [unknownHeight()] : []
  if (given !== null) {
    return {
      members: { default_pose: { ...given }, ...base },
      derived: Object.keys(base),
      needs: [...strangeJoints(given, joints), ...heightNeeds],
    }
  }
  const pose = Object.fromEntries(joints.map(({ name, joint }) => [name, qpos[joint.qpos] ?? 0]))
  const name = keyframe?.name
  const members = { default_pose: pose, ...(name ? { default_keyframe: name } : {}), ...base }
  return { members, derived: Object.keys(members), needs: [...(keyframe ? [] : [unknownPose()]), ...heightNeeds] }
}

/** Of the first floating body above a driven joint, else of the first floating body at all. */
function baseHeight({ joints }: ModelFacts, driven: readonly DrivenJoint[], qpos: readonly number[]): number | null {
  const roots = new Set(driven.map(({ joint }) => joint.root))
  const free = joints.filter(({ type }) => type === 'free')
  const base = free.find(({ root }) => roots.has(root)) ?? free[0]
  return base ? (qpos[base.qpos + 2] ?? null) : null
}

function strangeJoints(given: Readonly<Record<string, number>>, joints: readonly DrivenJoint[]): Need[] {
  const known = new Set(joints.map(({ name }) => name))
  const names = Object.keys(given).filter((name) => !known.has(name))
  if (names.length === 0) return []
  const why = 'The default pose places joints that are not in joint_order.'
  return [need('blocking', 'options.default_pose', why, { names, suggestion: `Known are: ${[...known].join(', ')}.` })]
}

function unknownPose(): Need {
  const why = 'The model has no keyframe, so the pose in which its joints are written is the default one.'
  const suggestion = 'Add a keyframe named home, or answer default_pose.'
  return need('advice', 'options.default_pose', why, { suggestion })
}

function unknownHeight(): Need {
  const why = 'How high the base stands at the default pose is not in a URDF.'
  return need('advice', 'interface.init_base_height_m', why, { suggestion: 'Add it to the card.' })
}
