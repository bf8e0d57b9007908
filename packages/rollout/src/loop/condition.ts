/** Conditions of a task over the simulation. */
import type { Condition } from '../task-schema.ts'
import { at, type Places, type World } from './world.ts'

type Holds = () => boolean

const isWithin = (value: number, [low, high]: readonly [number, number]) => value >= low && value <= high

const TURN = 2 * Math.PI
const wrapped = (angle: number) => angle - TURN * Math.round(angle / TURN)

const axes = { x: 0, y: 1, z: 2 } as const

/** `lacks` gets a sentence for each thing that the model does not have. */
export function holding(condition: Condition, world: World, places: Places, lacks: string[]): Holds {
  if ('all' in condition) {
    const parts = condition.all.map((one) => holding(one, world, places, lacks))
    return () => parts.every((holds) => holds())
  }
  if ('any' in condition) {
    const parts = condition.any.map((one) => holding(one, world, places, lacks))
    return () => parts.some((holds) => holds())
  }
  if ('not' in condition) {
    const holds = holding(condition.not, world, places, lacks)
    return () => !holds()
  }
  return 'joint' in condition ? ofJoint(condition, world, places, lacks) : ofPlace(condition, world, places, lacks)
}

const never: Holds = () => false

function ofJoint(
  { joint, position, velocity, wrap }: Extract<Condition, { joint: string }>,
  { data }: World,
  places: Places,
  lacks: string[],
): Holds {
  const axis = places.axis(joint)
  if (!axis) {
    lacks.push(`The task names the joint ${JSON.stringify(joint)}, which the model does not have.`)
    return never
  }
  if (!position && !velocity) lacks.push(`The task says neither position nor velocity of ${JSON.stringify(joint)}.`)
  return () => {
    const where = at(data.qpos, axis.qpos)
    return (
      (!position || isWithin(wrap ? wrapped(where) : where, position)) &&
      (!velocity || isWithin(at(data.qvel, axis.dof), velocity))
    )
  }
}

function ofPlace(
  {
    body,
    site,
    axis,
    position,
    upright,
  }: Exclude<Condition, { joint: string } | { all: unknown } | { any: unknown } | { not: unknown }>,
  { data }: World,
  places: Places,
  lacks: string[],
): Holds {
  const place = body !== undefined ? places.body(body) : site !== undefined ? places.site(site) : -1
  if (place === -1 || (body !== undefined && site !== undefined)) {
    const named = JSON.stringify(body ?? site ?? '')
    lacks.push(`The task names the body or site ${named}, which the model does not have.`)
    return never
  }
  if (!position && !upright)
    lacks.push(`The task says neither position nor upright of ${JSON.stringify(body ?? site)}.`)
  if (upright && body === undefined) lacks.push('The task says upright of a site: name the body.')
  const along = axes[axis ?? 'z']
  const rotation = 9 * place + 8
  return () =>
    (!position || isWithin(at(body === undefined ? data.site_xpos : data.xpos, 3 * place + along), position)) &&
    (!upright || isWithin(at(data.xmat, rotation), upright))
}
