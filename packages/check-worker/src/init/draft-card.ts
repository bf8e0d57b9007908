/**
 * The robot-init step: a card drafted from MuJoCo's facts about the model and from exactly the given answers. A value
 * that neither of them has is not invented: it is omitted and reported as a need. Pure.
 */

import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import { type CheckAction, type Need, need, type RobotCheckRequest } from '../request.ts'
import type { AnsweredUrdf } from '../urdf/answered-urdf.ts'
import { actuationOf, limitsOf } from './actuation.ts'
import { defaultPoseOf } from './default-pose.ts'
import { type DrivenJoint, drivenJoints } from './driven-joints.ts'

/** The model that the card is of. */
export interface DraftSource {
  readonly facts: ModelFacts
  /** The MJCF in the repo. */
  readonly mjcfPath: string
  /** Of a URDF entry, what MuJoCo drops of it; null for MJCF. */
  readonly urdf: Pick<AnsweredUrdf, 'velocities' | 'massKg' | 'needs'> | null
}

/** A card with all known members: one with a blocking need may lack members that the schema of a card requires. */
export type DraftCard = Omit<RobotCardDocument, 'interface'> & { readonly interface: Partial<EmbodimentInterface> }

export interface Draft {
  readonly card: DraftCard
  /** Members of the card that were read off the model. */
  readonly derived: readonly string[]
  readonly needs: readonly Need[]
}

/** Of interfaces as this project has them. */
const VERSION = 1

/** The card of a compiled model; `mjcf_path`, semantics and rate come from the answers. */
export function draftCard({ facts, mjcfPath, urdf }: DraftSource, request: RobotCheckRequest): Draft {
  const options = request.options ?? {}
  const { joints, needs: jointNeeds } = drivenJoints(facts)
  const roots = robotRoots(facts, joints)
  const base = baseOf(facts, roots, request, urdf)
  const floating = base.value === 'floating'
  const pose = defaultPoseOf({ facts, joints, given: options.default_pose ?? null, floating, isUrdf: urdf !== null })
  const velocities = urdf?.velocities ?? new Map<string, number>()
  const actuation = actuationOf(joints, request.action, options, velocities)
  const action = actionOf(request)
  const face: Partial<EmbodimentInterface> = {
    version: VERSION,
    ...(base.value === null ? {} : { base: base.value }),
    joint_order: joints.map(({ name }) => name),
    ...pose.members,
    ...(request.control_hz === null ? {} : { control_rate_hz: request.control_hz }),
    physics_dt_s: facts.timestep_s,
    actuation: [...actuation.groups],
    ...(action.value === null ? {} : { action: action.value }),
    ...(options.proprioception ? { proprioception: [...options.proprioception] } : {}),
    ...(options.command ? { command_space: { kind: options.command } } : {}),
  }
  const limits = limitsOf(joints, velocities)
  const mass = urdf?.massKg ?? roots.reduce((sum, root) => sum + (facts.roots[root]?.mass_kg ?? 0), 0)
  const card: DraftCard = {
    dof: joints.length,
    actuators: actuatorsOf(facts),
    ...(mass > 0 ? { mass_kg: mass } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    mjcf_path: mjcfPath,
    interface: face,
  }
  const derived = [
    ...Object.keys(card).filter((name) => name !== 'interface' && name !== 'mjcf_path'),
    ...['joint_order', 'physics_dt_s', 'actuation', ...(base.derived ? ['base'] : []), ...pose.derived]
      .filter((name) => name in face)
      .map((name) => `interface.${name}`),
    ...(action.derived ? ['interface.action.scale'] : []),
  ]
  const needs = [
    ...base.needs,
    ...rateNeeds(request),
    ...action.needs,
    ...jointNeeds,
    ...pose.needs,
    ...actuation.needs,
  ]
  return { card, derived, needs: [...needs, ...adviceOn(request, urdf !== null)] }
}

/** Places in `roots` of what the driven joints hang from; all of them in a model without such joints. */
function robotRoots({ roots }: ModelFacts, joints: readonly DrivenJoint[]): number[] {
  const found = [...new Set(joints.map(({ joint }) => joint.root))].filter((root) => root >= 0)
  return found.length > 0 || joints.length > 0 ? found : roots.map((_, at) => at)
}

interface Answer<T> {
  readonly value: T | null
  /** Read off the model. */
  readonly derived: boolean
  readonly needs: readonly Need[]
}

/** MJCF defines whether its base floats; for a URDF only a person knows. */
function baseOf(
  facts: ModelFacts,
  roots: readonly number[],
  { base: given, entry }: RobotCheckRequest,
  urdf: DraftSource['urdf'],
): Answer<'fixed' | 'floating'> {
  const inModel = roots.some((root) => facts.roots[root]?.floating) ? 'floating' : 'fixed'
  if (given === null && urdf) {
    const why = 'A URDF does not say whether the base of the robot is fixed or floats.'
    const suggestion = 'Answer base: fixed for what is bolted down, floating for what walks, drives or flies.'
    return { value: null, derived: false, needs: [need('blocking', 'base', why, { suggestion })] }
  }
  // The reason why the answer could not be applied says more than the fact.
  const isTold = urdf?.needs.some(({ field }) => field === 'base') ?? false
  if (given !== null && given !== inModel && !isTold) {
    const why = `The base is said to be ${given}, but ${entry} makes it ${inModel}.`
    const suggestion = `Answer ${inModel}, or change the model.`
    return { value: inModel, derived: true, needs: [need('blocking', 'base', why, { names: [given], suggestion })] }
  }
  return { value: inModel, derived: given === null, needs: [] }
}

function rateNeeds({ control_hz }: RobotCheckRequest): Need[] {
  if (control_hz !== null) return []
  const why = 'How often a policy drives the real robot is not in a model.'
  return [need('blocking', 'control_hz', why, { suggestion: 'Answer the rate in Hz.' })]
}

/**
 * Actions of these kinds are the target itself, in the unit of the joint; the two others are defined by their scale.
 */
const unscaled: ReadonlySet<CheckAction> = new Set(['position', 'velocity', 'torque'])

function actionOf({ action: semantics, options }: RobotCheckRequest): Answer<EmbodimentInterface['action']> {
  if (semantics === null) {
    const why = 'What an action means is not in a model.'
    const suggestion = 'Answer action: position, position_offset, position_delta, velocity or torque.'
    return { value: null, derived: false, needs: [need('blocking', 'action', why, { suggestion })] }
  }
  const clip = options?.action_clip
  const clipped = clip === null || clip === undefined ? {} : { clip }
  const given = options?.action_scale
  if (given !== null && given !== undefined)
    return { value: { semantics, scale: given, ...clipped }, derived: false, needs: [] }
  if (unscaled.has(semantics)) return { value: { semantics, scale: 1, ...clipped }, derived: true, needs: [] }
  const why = `How far an action of 1 moves a joint is part of ${semantics}, and not in a model.`
  const suggestion = 'Answer action_scale: rad or m for each unit of action.'
  return { value: null, derived: false, needs: [need('blocking', 'options.action_scale', why, { suggestion })] }
}

function actuatorsOf({ actuators, joints }: ModelFacts): NonNullable<RobotCardDocument['actuators']> {
  return actuators.flatMap(({ name, joints: moved, mode }) => {
    const driven = moved.flatMap((place) => joints[place]?.name ?? [])
    const called = name ?? driven[0]
    return called === undefined ? [] : [{ name: called, joints: driven, mode }]
  })
}

function adviceOn({ options }: RobotCheckRequest, isUrdf: boolean): Need[] {
  const needs: Need[] = []
  if (!options?.proprioception) {
    const why = 'What the real robot can measure of itself is not in a model.'
    const suggestion = 'Answer proprioception, such as joint_pos and joint_vel.'
    needs.push(need('advice', 'options.proprioception', why, { suggestion }))
  }
  if (typeof options?.discard_visual === 'boolean' && !isUrdf) {
    const why = 'discard_visual tells how a URDF is converted; an MJCF entry stays as it is.'
    needs.push(need('advice', 'options.discard_visual', why, { suggestion: 'Leave it out.' }))
  }
  return needs
}
