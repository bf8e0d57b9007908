/** A compiled model stepped at its default pose, its position servos holding that pose, and the observations. */
import { isDirect } from '@hub/robot-view/physics/direct-drive'
import { holdPose } from '@hub/robot-view/physics/hold-pose'
import type { ActuatorFacts, JointFacts, ModelFacts } from '@hub/robot-view/physics/model-facts'
import type { Data, Model, Mujoco } from '@hub/robot-view/physics/mujoco'
import { posed } from '@hub/robot-view/physics/posed'
import type { EngineLimits } from './limits.ts'
import { type Motion, motionWatch } from './motion-watch.ts'
import type { SimulationFacts } from './protocol.ts'

/**
 * `pose`: positions by joint name over those of the keyframe. `limits.simulatedS` of the model's own time, unless that
 * takes more processor than it may.
 */
export function simulate({
  mujoco,
  model,
  facts,
  pose,
  limits,
}: {
  readonly mujoco: Mujoco
  readonly model: Model
  readonly facts: ModelFacts
  readonly pose: Readonly<Record<string, number>> | null
  readonly limits: EngineLimits
}): SimulationFacts {
  const { data, keyframe } = posed({ mujoco, model, facts, pose })
  try {
    const holding = holdPose(model, data, facts)
    const start = startOf(model, data, facts)
    // MuJoCo would reset a diverged state to the beginning, which would hide that the model exploded.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET.value
    const motion = run({ mujoco, model, data, facts, limits })
    return {
      keyframe: facts.keyframes[keyframe]?.name ?? null,
      from: keyframe === -1 ? 'initial' : 'keyframe',
      holding: holding.length,
      penetrations: start.penetrations,
      contacts_at_start: start.contacts,
      has_ground: facts.has_ground,
      ...motion,
      warnings: warningsOf(mujoco, data),
      drift: driftOf(start.qpos, data, heldJoints(facts, holding)),
      bases: basesOf(start.qpos, data, facts),
    }
  } finally {
    data.delete()
  }
}

interface Start {
  readonly qpos: Float64Array
  readonly contacts: number
  readonly penetrations: SimulationFacts['penetrations']
}

type Penetration = SimulationFacts['penetrations'][number]

/** How many contacts at the start are examined, and how many are reported. */
const MAX_LOOKED_AT = 1_000
const MAX_TOLD = 5

function startOf(model: Model, data: Data, { bodies }: ModelFacts): Start {
  const bodyOf = (geom: number) => {
    const body = (model.geom_bodyid as ArrayLike<number>)[geom] ?? 0
    return body === 0 ? 'world' : (bodies[body - 1]?.name ?? null)
  }
  const contacts = data.contact
  const found: Penetration[] = []
  for (let at = 0; at < Math.min(data.ncon, MAX_LOOKED_AT); at += 1) {
    const contact = contacts.get(at)
    if (contact && contact.dist < 0)
      found.push({ bodies: [bodyOf(contact.geom1), bodyOf(contact.geom2)], depth_m: -contact.dist })
    contact?.delete()
  }
  return {
    qpos: Float64Array.from(data.qpos as ArrayLike<number>),
    contacts: data.ncon,
    penetrations: deepestOfPairs(found).slice(0, MAX_TOLD),
  }
}

/** Two bodies may touch at many points; one is enough. */
function deepestOfPairs(found: readonly Penetration[]): Penetration[] {
  const pairs = new Map<string, Penetration>()
  for (const one of found.toSorted((a, b) => b.depth_m - a.depth_m)) {
    const key = one.bodies.toSorted().join('\0')
    if (!pairs.has(key)) pairs.set(key, one)
  }
  return [...pairs.values()]
}

function run({
  mujoco,
  model,
  data,
  facts,
  limits,
}: {
  readonly mujoco: Mujoco
  readonly model: Model
  readonly data: Data
  readonly facts: ModelFacts
  readonly limits: EngineLimits
}): Motion {
  const watch = motionWatch(facts)
  watch.start(data)
  const began = process.cpuUsage()
  while (data.time < limits.simulatedS) {
    const { user, system } = process.cpuUsage(began)
    if (user + system > limits.steppingS * 1e6) return watch.seen(true)
    mujoco.mj_step(model, data)
    if (!watch.step(data)) break
  }
  return watch.seen(false)
}

/** MuJoCo counts its warnings, and this build prints none. */
function warningsOf(mujoco: Mujoco, data: Data): string[] {
  const kinds = Array.from({ length: data.warning.size() }, (_, kind) => kind)
  return kinds.flatMap((kind) => {
    const warning = data.warning.get(kind)
    const warnings = warning && warning.number > 0 ? [mujoco.mju_warningText(kind, warning.lastinfo)] : []
    warning?.delete()
    return warnings
  })
}

function heldJoints({ joints }: ModelFacts, holding: readonly ActuatorFacts[]): JointFacts[] {
  const held = new Set(holding.flatMap(({ transmission, joints: moved }) => (isDirect(transmission) ? moved : [])))
  return joints.filter((_, at) => held.has(at))
}

function driftOf(start: Float64Array, data: Data, held: readonly JointFacts[]): SimulationFacts['drift'] {
  const drift = held.flatMap(({ name, type, qpos }) =>
    type === 'hinge' || type === 'slide'
      ? [{ joint: name, type, by: Math.abs((data.qpos[qpos] ?? 0) - (start[qpos] ?? 0)) }]
      : [],
  )
  return drift.sort((a, b) => b.by - a.by)
}

function basesOf(start: Float64Array, data: Data, { joints, roots }: ModelFacts): SimulationFacts['bases'] {
  const end = Float64Array.from(data.qpos as ArrayLike<number>)
  return joints.flatMap(({ type, qpos, root }) => {
    if (type !== 'free') return []
    const [from, to] = [start.subarray(qpos, qpos + 7), end.subarray(qpos, qpos + 7)]
    const moved = Math.hypot(...[0, 1, 2].map((axis) => (to[axis] ?? 0) - (from[axis] ?? 0)))
    const [up, now] = [upOf(from), upOf(to)]
    const cosine = up.reduce((sum, value, axis) => sum + value * (now[axis] ?? 0), 0)
    return [
      {
        body: roots[root]?.name ?? null,
        height_start_m: from[2] ?? 0,
        height_end_m: to[2] ?? 0,
        moved_m: moved,
        tilted_rad: Math.acos(Math.min(1, Math.max(-1, cosine))),
      },
    ]
  })
}

/** The z axis of a body whose position and quaternion are seven numbers of qpos. */
function upOf(pose: Float64Array): readonly [number, number, number] {
  const [w, x, y, z] = [pose[3] ?? 1, pose[4] ?? 0, pose[5] ?? 0, pose[6] ?? 0]
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
}
