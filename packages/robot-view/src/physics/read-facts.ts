/** From a compiled model to plain facts. */
import { actuatorFacts } from './actuator-facts.ts'
import { numbers, pair, rangesGiven } from './arrays.ts'
import type { JointFacts, ModelFacts, RootFacts } from './model-facts.ts'
import type { MemoryFiles, Model, Mujoco } from './mujoco.ts'
import { type PrintedFlags, printedFlags } from './printed-flags.ts'

/** Names of a model; null for an unnamed object. */
export interface Names {
  readonly model: string
  readonly bodies: readonly (string | null)[]
  readonly joints: readonly (string | null)[]
  readonly actuators: readonly (string | null)[]
  readonly keyframes: readonly (string | null)[]
  readonly sites: readonly (string | null)[]
  readonly cameras: readonly (string | null)[]
}

export const jointTypes = ['free', 'ball', 'slide', 'hinge'] as const

/** Decodes the names of the objects that facts and simulation speak of. */
export function namesOf(model: Model): Names {
  const bytes = Uint8Array.from(model.names as ArrayLike<number>)
  const decoder = new TextDecoder()
  const nameAt = (at: number) => decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)))
  const named = (addresses: Iterable<number>) => [...addresses].map((at) => nameAt(at) || null)
  return {
    model: nameAt(0),
    bodies: named(model.name_bodyadr),
    joints: named(model.name_jntadr),
    actuators: named(model.name_actuatoradr),
    keyframes: named(model.name_keyadr),
    sites: named(model.name_siteadr),
    cameras: named(model.name_camadr),
  }
}

/** Everything that a card is drafted from. */
export function readFacts(mujoco: Mujoco, files: MemoryFiles, model: Model): ModelFacts {
  const names = namesOf(model)
  const roots = rootIds(model)
  const flags = printedFlags(mujoco, files, model)
  const joints = jointFacts(model, names, roots, flags)
  const masses = numbers(model.body_mass)
  const keyPoses = numbers(model.key_qpos)
  return {
    model: names.model,
    nq: model.nq,
    nv: model.nv,
    nu: model.nu,
    timestep_s: model.opt.timestep,
    mass_kg: mujoco.mj_getTotalmass(model),
    bodies: names.bodies.slice(1).map((name, at) => ({ name, mass_kg: masses[at + 1] ?? 0 })),
    has_ground: hasGround(model),
    roots: rootFacts(model, names, joints, roots),
    joints,
    actuators: actuatorFacts(mujoco, model, names.actuators, flags),
    keyframes: names.keyframes.map((name, at) => ({
      name,
      qpos: keyPoses.slice(at * model.nq, (at + 1) * model.nq),
    })),
    qpos0: numbers(model.qpos0),
    sites: names.sites.filter((name) => name !== null),
    cameras: names.cameras.filter((name) => name !== null),
  }
}

/** Bodies that are children of the world, in order. */
function rootIds(model: Model): number[] {
  return numbers(model.body_parentid).flatMap((parent, body) => (parent === 0 && body > 0 ? [body] : []))
}

/** Whether something that is fixed to the world can be touched. */
function hasGround(model: Model): boolean {
  const fixed = numbers(model.body_weldid)
  const [touches, isTouched] = [numbers(model.geom_contype), numbers(model.geom_conaffinity)]
  const bodies = numbers(model.geom_bodyid)
  return bodies.some((body, geom) => fixed[body] === 0 && ((touches[geom] ?? 0) | (isTouched[geom] ?? 0)) !== 0)
}

function rootFacts(model: Model, names: Names, joints: readonly JointFacts[], roots: readonly number[]): RootFacts[] {
  const floating = new Set(joints.flatMap(({ type, root }) => (type === 'free' ? [root] : [])))
  const masses = numbers(model.body_subtreemass)
  return roots.map((body, place) => ({
    name: names.bodies[body] ?? null,
    floating: floating.has(place),
    mass_kg: masses[body] ?? 0,
  }))
}

function jointFacts(model: Model, names: Names, roots: readonly number[], flags: PrintedFlags): JointFacts[] {
  const bodies = numbers(model.jnt_bodyid)
  const tops = numbers(model.body_rootid)
  const places = new Map(roots.map((body, place) => [body, place]))
  const ranges = numbers(model.jnt_range)
  const forces = numbers(model.jnt_actfrcrange)
  const limited = flags('jnt_limited', model.njnt) ?? rangesGiven(ranges)
  const forceLimited = flags('jnt_actfrclimited', model.njnt) ?? rangesGiven(forces)
  const axes = numbers(model.jnt_axis)
  const dofs = numbers(model.jnt_dofadr)
  const [armatures, frictions] = [numbers(model.dof_armature), numbers(model.dof_frictionloss)]
  const addresses = numbers(model.jnt_qposadr)
  return numbers(model.jnt_type).map((type, at) => {
    const body = bodies[at] ?? 0
    const dof = dofs[at] ?? 0
    return {
      name: names.joints[at] ?? null,
      type: jointTypes[type] ?? 'hinge',
      body: names.bodies[body] ?? null,
      root: places.get(tops[body] ?? 0) ?? -1,
      qpos: addresses[at] ?? 0,
      limited: limited[at] ?? false,
      range: pair(ranges, at),
      axis: [axes[3 * at] ?? 0, axes[3 * at + 1] ?? 0, axes[3 * at + 2] ?? 0],
      force_range: forceLimited[at] ? pair(forces, at) : null,
      armature: armatures[dof] ?? 0,
      friction_loss: frictions[dof] ?? 0,
    }
  })
}
