/** What a policy relies on: its contract, and the robot's interface where the contract is silent. Pure. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'

interface PolicyAction {
  readonly semantics: string
  readonly scale: number
  readonly scalePerJoint: Readonly<Record<string, number>>
  /** Raw numbers of the policy are held between -clip and clip. */
  readonly clip: number | null
}

export interface PolicyContract {
  /** In the order of the policy's numbers. */
  readonly joints: readonly string[]
  readonly defaultPose: Readonly<Record<string, number>> | null
  /** Whether the contract says the pose itself, by the joints of the policy. */
  readonly isOwnPose: boolean
  readonly action: PolicyAction
  readonly rateHz: number
  /** Terms of an observation, in the policy's order; null where they are not declared. */
  readonly terms: readonly string[] | null
  /** Numbers that a term is multiplied with: one for all of it, or one for each of its numbers. */
  readonly scales: Readonly<Record<string, number | readonly number[]>>
}

type Json = Readonly<Record<string, unknown>>

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const positive = (value: unknown) => (finite(value) && value > 0 ? value : null)
/** Beyond it, MuJoCo's largest number, 1e10, becomes Infinity as a float32. */
const MAX_SCALE = 1e28
const isScale = (value: unknown) => finite(value) && Math.abs(value) <= MAX_SCALE

/** What is wrong with the scale that a contract says of a term; null for none, and where it says none. */
export function scaleFault({ name, size }: { readonly name: string; readonly size: number }, document: unknown) {
  const scales = object(object(object(document).observation).scales)
  const said = Object.hasOwn(scales, name) ? scales[name] : null
  const fits = Array.isArray(said)
    ? said.length === size && said.every(isScale)
    : (said ?? null) === null || isScale(said)
  if (fits) return null
  return `The policy sees ${JSON.stringify(name)}: its scale is neither a number up to 1e28 nor a list of ${size} such.`
}

const texts = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
    ? (value as readonly string[])
    : null

function numbersByName(value: unknown): Readonly<Record<string, number>> | null {
  const entries = Object.entries(object(value)).filter((entry): entry is [string, number] => finite(entry[1]))
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** `document`: the member `contract` of a policy's manifest; null where it has none. */
export function contractFor(document: unknown, face: EmbodimentInterface): PolicyContract {
  const contract = object(document)
  const said = object(contract.action)
  const own = typeof said.semantics === 'string'
  const action = own ? said : object(face.action)
  const observation = object(contract.observation)
  const scales = Object.entries(object(observation.scales)).filter(
    ([, value]) => finite(value) || (Array.isArray(value) && value.every(finite)),
  )
  const ownPose = numbersByName(contract.default_pose)
  return {
    joints: texts(contract.joint_order) ?? face.joint_order,
    defaultPose: ownPose ?? face.default_pose ?? null,
    isOwnPose: ownPose !== null,
    action: {
      semantics: String(action.semantics),
      scale: finite(action.scale) ? action.scale : 1,
      scalePerJoint: numbersByName(action.scale_per_joint) ?? {},
      clip: positive(action.clip),
    },
    rateHz: positive(contract.control_rate_hz) ?? face.control_rate_hz,
    terms: texts(observation.blocks),
    scales: Object.fromEntries(scales) as PolicyContract['scales'],
  }
}
