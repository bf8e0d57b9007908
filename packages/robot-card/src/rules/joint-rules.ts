/**
 * Rules about the joints of an interface: `joint_order` against the model, everything else against `joint_order`. Pure.
 * Spec, "Rules on the interface".
 */
import type { ModelReading } from '@hub/mjcf/reading'
import type { Check } from '@hub/mjcf/verdict/check'
import type { ReadableCard } from '../readable-card.ts'
import {
  drivableJoints,
  interfaceCheck,
  type KnownModel,
  type RuleFault,
  repeated,
  undecidedReason,
  unknownName,
} from './rule.ts'

/** `interface.joint_order`: unique, and each one a hinge or slide of the model. */
export function jointOrderCheck(card: ReadableCard, model: KnownModel): Check {
  return interfaceCheck('interface.joint_order', card, ['joint_order'], ({ joint_order }) => {
    const twice = repeated(joint_order).map(({ name, index }) => ({
      message: `${name} is in joint_order more than once.`,
      names: [name],
      hint: 'Each joint has one index: remove the duplicate.',
      loc: ['interface', 'joint_order', index],
    }))
    const drivable = drivableJoints(model)
    if (!drivable || !model.reading) return { fail: twice, skip: model.reason, pass: '' }
    const { reading } = model
    const others = otherNames(reading)
    const strange = joint_order.flatMap((name, index) =>
      drivable.has(name)
        ? []
        : [strangeJoint({ name, index, what: others.get(name) ?? null, label: model.label, drivable })],
    )
    const open = model.doubt ?? undecidedReason(reading, 'joints')
    // A joint of another type takes precedence over other objects with its name.
    const certain = strange.filter(({ names: [name = ''] }) => open === null || others.get(name)?.endsWith(' joint'))
    return {
      fail: [...twice, ...certain],
      skip: strange.length > certain.length ? open : null,
      pass: 'Each name in joint_order is a hinge or slide joint of the model.',
      data: { joints: joint_order.length, model_joints: drivable.size },
    }
  })
}

function strangeJoint({
  name,
  index,
  what,
  label,
  drivable,
}: {
  readonly name: string
  readonly index: number
  readonly what: string | null
  readonly label: string
  readonly drivable: ReadonlySet<string>
}): RuleFault {
  const message =
    what === null
      ? `${name} is not a joint of ${label}.`
      : `${name} is ${what} of ${label}: only hinges and slides have one degree of freedom.`
  return unknownName({
    name,
    message,
    loc: ['interface', 'joint_order', index],
    candidates: drivable,
    otherwise: 'Remove it, or use a hinge or slide joint.',
  })
}

/** The kind of another object with this name, joints first. */
function otherNames({ joints, names }: ModelReading): Map<string, string> {
  const found = new Map<string, string>()
  const add = (what: string, list: readonly (string | null)[]) => {
    for (const name of list) if (name !== null && !found.has(name)) found.set(name, what)
  }
  for (const type of ['ball', 'free'] as const) {
    add(
      `a ${type} joint`,
      joints.flatMap((joint) => (joint.type === type ? [joint.name] : [])),
    )
  }
  add('an actuator', names.actuators)
  add('a body', names.bodies)
  add('a site', names.sites)
  add('a camera', names.cameras)
  return found
}

/** `interface.default_pose`: only joints of `joint_order`; a position outside the card's own limits is a warning. */
export function defaultPoseCheck(card: ReadableCard): Check {
  return interfaceCheck(
    'interface.default_pose',
    card,
    ['joint_order', 'default_pose'],
    ({ joint_order, default_pose }) => {
      if (!default_pose) return { skip: 'The interface names no default pose.', pass: '' }
      const names = Object.keys(default_pose)
      const place = (name: string) => ['interface', 'default_pose', name]
      const outside = names.flatMap((name) => {
        const limits = card.limits && Object.hasOwn(card.limits, name) ? card.limits[name] : undefined
        const at = default_pose[name] ?? 0
        if (at >= (limits?.lower ?? Number.NEGATIVE_INFINITY) && at <= (limits?.upper ?? Number.POSITIVE_INFINITY))
          return []
        const message = `${name} is at ${at}, outside its limits ${limits?.lower ?? '-∞'} to ${limits?.upper ?? '∞'}.`
        return [{ message, names: [name], hint: null, loc: place(name) }]
      })
      return {
        fail: notInOrder(names, joint_order, (index) => place(names[index] ?? '')),
        warn: outside,
        pass: `The pose places ${names.length} of ${joint_order.length} joints.`,
        data: { joints: names.length },
      }
    },
  )
}

/** `interface.actuation`: only joints of `joint_order`, and none driven twice. */
export function actuationCheck(card: ReadableCard): Check {
  return interfaceCheck('interface.actuation', card, ['joint_order', 'actuation'], ({ joint_order, actuation }) => {
    const driven = actuation.flatMap(({ joints }, group) => joints.map((name, at) => ({ name, group, at })))
    const place = (index: number) => {
      const found = driven[index]
      return ['interface', 'actuation', found?.group ?? 0, 'joints', found?.at ?? 0]
    }
    const names = driven.map(({ name }) => name)
    const groups = groupsByName(driven)
    const twice = repeated(names).map(({ name, index }) => ({
      message: `${name} is driven by ${groupsText([...(groups.get(name) ?? [])])}.`,
      names: [name],
      hint: 'Keep it in one group: a joint has one actuation.',
      loc: place(index),
    }))
    const drivenNames = new Set(names)
    const undriven = joint_order.filter((name) => !drivenNames.has(name))
    return {
      fail: [...notInOrder(names, joint_order, place), ...twice],
      pass: `Driven, each by one group: ${drivenNames.size} of ${joint_order.length}.`,
      data: { groups: actuation.length, undriven },
    }
  })
}

function groupsByName(
  driven: readonly { readonly name: string; readonly group: number }[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>()
  for (const { name, group } of driven) found.set(name, (found.get(name) ?? new Set()).add(group))
  return found
}

const groupsText = (groups: readonly number[]) =>
  groups.length === 1 ? `group ${groups[0]} more than once` : `groups ${groups.slice(0, 10).join(' and ')}`

/** `interface.action`: scales of joints of `joint_order` only. */
export function actionCheck(card: ReadableCard): Check {
  return interfaceCheck('interface.action', card, ['joint_order', 'action'], ({ joint_order, action }) => {
    const names = Object.keys(action.scale_per_joint ?? {})
    const place = (index: number) => ['interface', 'action', 'scale_per_joint', names[index] ?? '']
    return { fail: notInOrder(names, joint_order, place), pass: 'The action scales only joints of joint_order.' }
  })
}

/** `interface.parts`: only joints of `joint_order`; two parts with the same name are a warning. */
export function partsCheck(card: ReadableCard): Check {
  return interfaceCheck('interface.parts', card, ['joint_order', 'parts'], (face) => {
    const parts = face.parts ?? []
    if (parts.length === 0) return { pass: 'The interface names no parts.', data: { parts: 0 } }
    const { joint_order } = face
    const fail = parts.flatMap(({ joints }, part) =>
      notInOrder(joints, joint_order, (index) => ['interface', 'parts', part, 'joints', index]),
    )
    const warn = repeated(parts.map(({ name }) => name)).map(({ name, index }) => ({
      message: `Two parts are called ${name}.`,
      names: [name],
      hint: null,
      loc: ['interface', 'parts', index, 'name'],
    }))
    return { fail, warn, pass: `${parts.length} parts group joints of joint_order.`, data: { parts: parts.length } }
  })
}

function notInOrder(
  names: readonly string[],
  jointOrder: readonly string[],
  place: (index: number) => readonly (string | number)[],
): RuleFault[] {
  const known = new Set(jointOrder)
  return names.flatMap((name, index) =>
    known.has(name)
      ? []
      : [unknownName({ name, message: `${name} is not in joint_order.`, loc: place(index), candidates: known })],
  )
}
