/** Rules that compare an interface with the model: base, keyframe, end effectors, feet and cameras. Pure. */
import type { ModelReading, RootBody } from '@hub/mjcf/reading'
import type { Check, CheckFault } from '@hub/mjcf/verdict/check'
import { namedKeyframes } from '@hub/mjcf/verdict/model-checks'
import type { EmbodimentInterface } from '../interface-schema.ts'
import { isInModel } from '../read-defaults.ts'
import type { ReadableCard } from '../readable-card.ts'
import {
  type Findings,
  interfaceCheck,
  type KnownModel,
  type RuleFault,
  repeated,
  undecidedReason,
  unknownName,
} from './rule.ts'

/**
 * `interface.base`: floating exactly when the top-level body above the joints of `joint_order` has a free joint;
 * separate free objects do not count.
 */
export function baseCheck(card: ReadableCard, model: KnownModel): Check {
  const members = ['base', 'joint_order', 'init_base_height_m'] as const
  return interfaceCheck('interface.base', card, members, (face) => {
    const warn = heightFault(face)
    if (face.base !== 'fixed' && face.base !== 'floating') {
      return {
        warn,
        skip: `${face.base} is neither fixed nor floating, so it cannot be compared.`,
        pass: '',
      }
    }
    if (!model.reading) return { warn, skip: model.reason, pass: '' }
    const open = undecidedReason(model.reading, 'base') ?? undecidedReason(model.reading, 'joints')
    if (open !== null) return { warn, skip: open, pass: '' }
    return { warn, ...againstModel(face.base, face.joint_order, model.reading, model) }
  })
}

function heightFault(face: Pick<EmbodimentInterface, 'base' | 'init_base_height_m'>): CheckFault[] {
  if (face.base === 'floating' || face.init_base_height_m === null || face.init_base_height_m === undefined) return []
  const message = 'init_base_height_m applies only to a floating base.'
  const hint = 'Remove it, or set the base to floating.'
  return [{ message, names: ['init_base_height_m'], hint, loc: ['interface', 'init_base_height_m'] }]
}

function againstModel(
  base: 'fixed' | 'floating',
  jointOrder: readonly string[],
  reading: ModelReading,
  { doubt, label }: KnownModel,
): Findings {
  const roots = jointOrder.length === 0 ? reading.roots : rootsAbove(jointOrder, reading)
  if (roots.length === 0 && jointOrder.length > 0)
    return { skip: doubt ?? 'No joint of joint_order is in the model, so the base is unknown.', pass: '' }
  const floating = roots.filter((root) => root.floating)
  const isFloating = floating.length > 0
  // A part that was not read cannot remove a free joint, but can add one.
  if (doubt !== null && !isFloating) return { skip: doubt, pass: '' }
  const data = { model: isFloating ? 'floating' : 'fixed', bodies: roots.map(({ name }) => name) }
  if (jointOrder.length === 0 && base === 'fixed' && isFloating && floating.length < roots.length) {
    const bodies = 'joint_order is empty, and the model has fixed and floating bodies'
    const skip = `${bodies}: it is not known which one is the robot.`
    return { skip, pass: '' }
  }
  if (isFloating === (base === 'floating')) return { pass: `The base is ${base}, as in the model.`, data }
  const names = (isFloating ? floating : roots).flatMap(({ name }) => (name === null ? [] : [name]))
  const which = names.length > 0 ? names.join(', ') : 'the top-level body'
  const message = isFloating
    ? `The base is declared fixed, but ${which} of ${label} has a free joint.`
    : `The base is declared floating, but ${which} of ${label} has no free joint.`
  const hint = isFloating
    ? 'Declare it floating, or remove the free joint from the model.'
    : 'Declare it fixed, or add <freejoint/> to the top-level body.'
  return { fail: [{ message, names, hint, loc: ['interface', 'base'] }], pass: '', data }
}

/** The children of the world body above the named joints, without duplicates. */
function rootsAbove(jointOrder: readonly string[], reading: ModelReading): RootBody[] {
  const wanted = new Set(jointOrder)
  const places = reading.joints.flatMap(({ name, root }) => (name !== null && wanted.has(name) ? [root] : []))
  return [...new Set(places)].flatMap((place) => reading.roots[place] ?? [])
}

/** `interface.default_keyframe`: a keyframe of the model. */
export function keyframeCheck(card: ReadableCard, model: KnownModel): Check {
  return interfaceCheck('interface.default_keyframe', card, ['default_keyframe'], ({ default_keyframe: name }) => {
    if (name === null || name === undefined) return { skip: 'The interface names no keyframe.', pass: '' }
    if (!model.reading) return { skip: model.reason, pass: '' }
    const keyframes = namedKeyframes(model.reading)
    if (keyframes.includes(name)) return { pass: `${name} is a keyframe of the model.` }
    const open = model.doubt ?? undecidedReason(model.reading, 'keyframes')
    if (open !== null) return { skip: open, pass: '' }
    const message = `${name} is not a keyframe of ${model.label}.`
    return {
      fail: [unknownName({ name, message, loc: ['interface', 'default_keyframe'], candidates: keyframes })],
      pass: '',
    }
  })
}

/**
 * `interface.end_effectors`: sites, bodies and gripper joints exist in the model, except for a real tool that is not in
 * the model.
 */
export function endEffectorsCheck(card: ReadableCard, model: KnownModel): Check {
  return interfaceCheck('interface.end_effectors', card, ['end_effectors'], ({ end_effectors }) => {
    const named = (end_effectors ?? []).flatMap((effector, index) =>
      isInModel(effector)
        ? (['site', 'body', 'gripper_joint'] as const).flatMap((member) => {
            const name = effector[member]
            return typeof name === 'string' ? [{ name, member, index }] : []
          })
        : [],
    )
    if (named.length === 0) return { pass: 'No end effector names a part of the model.', data: { named: 0 } }
    const { reading } = model
    if (!reading) return { skip: model.reason, pass: '' }
    const joints = reading.joints.flatMap(({ name }) => (name === null ? [] : [name]))
    const known = {
      site: new Set(reading.names.sites),
      body: new Set(reading.names.bodies),
      gripper_joint: new Set(joints),
    }
    const fail = named.flatMap(({ name, member, index }) => {
      if (known[member].has(name)) return []
      const what = member === 'gripper_joint' ? 'joint' : member
      const message = `${name} is not a ${what} of ${model.label}.`
      const otherwise = 'Use a name of the model, or set in_mjcf to false for a tool that is not in the model.'
      return [
        unknownName({
          name,
          message,
          loc: ['interface', 'end_effectors', index, member],
          candidates: known[member],
          otherwise,
        }),
      ]
    })
    return unlessInDoubt(model, fail, 'All end effectors exist in the model.')
  })
}

/** `interface.feet`: bodies or sites of the model. */
export function feetCheck(card: ReadableCard, model: KnownModel): Check {
  return interfaceCheck('interface.feet', card, ['feet'], (face) => {
    const feet = face.feet ?? []
    if (feet.length === 0) return { pass: 'The interface names no feet.' }
    const { reading } = model
    if (!reading) return { skip: model.reason, pass: '' }
    const known = new Set([...reading.names.bodies, ...reading.names.sites])
    const fail = feet.flatMap((name, index) =>
      known.has(name)
        ? []
        : [
            unknownName({
              name,
              message: `${name} is neither a body nor a site of ${model.label}.`,
              loc: ['interface', 'feet', index],
              candidates: known,
            }),
          ],
    )
    return unlessInDoubt(model, fail, 'Every foot is a body or site of the model.')
  })
}

/** An undecided body tree leaves its bodies and sites undecided too. */
function unlessInDoubt({ reading, doubt }: KnownModel, fail: readonly RuleFault[], pass: string): Findings {
  const open = doubt ?? (reading && undecidedReason(reading, 'joints'))
  return open !== null && fail.length > 0 ? { skip: open, pass } : { fail, pass }
}

/** `interface.cameras`: two cameras with the same name or VLA slot are a warning. */
export function camerasCheck(card: ReadableCard): Check {
  return interfaceCheck('interface.cameras', card, ['cameras'], (face) => {
    const cameras = face.cameras ?? []
    if (cameras.length === 0) return { pass: 'The interface names no cameras.' }
    const warnings = (values: readonly (string | null | undefined)[], member: string, told: string) => {
      const places = values.flatMap((value, index) => (typeof value === 'string' ? [{ value, index }] : []))
      return repeated(places.map(({ value }) => value)).map(({ name, index }) => ({
        message: `Two cameras ${told} ${name}.`,
        names: [name],
        hint: null,
        loc: ['interface', 'cameras', places[index]?.index ?? 0, member],
      }))
    }
    const names = warnings(
      cameras.map(({ name }) => name),
      'name',
      'are called',
    )
    const slots = warnings(
      cameras.map(({ vla_slot }) => vla_slot),
      'vla_slot',
      'feed the slot',
    )
    return { warn: [...names, ...slots], pass: `${cameras.length} cameras with unique names.` }
  })
}
