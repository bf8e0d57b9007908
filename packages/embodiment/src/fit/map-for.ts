/** The joints of two sides: which goes where. */
import type { Embodiment } from '../embodiment.ts'
import { identityMap, type JointMap } from '../joint-map.ts'
import { type Difference, shown } from './difference.ts'

const absent = (
  side: 'source' | 'robot',
  name: string,
  reason: string,
  [source, robot]: readonly [string, string] = side === 'robot' ? [name, 'no such joint'] : ['no such joint', name],
): Difference => ({ kind: 'joints', place: `joints.${name}`, source, robot, blocks: true, reason })

/** What stands between the two lists of joints; with a map, what the map leaves open or gets wrong. */
export function jointFaults(source: Embodiment, robot: Embodiment, map: JointMap | undefined): readonly Difference[] {
  const [theirs, ours] = [new Set(source.joints.map(nameOf)), new Set(robot.joints.map(nameOf))]
  if (!map)
    return [
      ...[...theirs]
        .filter((name) => !ours.has(name))
        .map((name) =>
          absent('robot', name, `The robot has no joint ${name}. A map must drop it or send it to another.`),
        ),
      ...[...ours]
        .filter((name) => !theirs.has(name))
        .map((name) =>
          absent('source', name, `Nothing moves ${name}. A map must hold it, or move it by another joint.`),
        ),
    ]
  const used = [...map.joints.map(({ from }) => from), ...map.dropped]
  const given = [...map.joints.map(({ to }) => to), ...map.held.map(({ joint }) => joint)]
  const [usedSet, givenSet] = [new Set(used), new Set(given)]
  return [
    ...[...theirs]
      .filter((name) => !usedSet.has(name))
      .map((name) => absent('robot', name, `The map neither uses nor drops ${name}.`, [name, 'not in the map'])),
    ...[...ours]
      .filter((name) => !givenSet.has(name))
      .map((name) => absent('source', name, `The map neither moves nor holds ${name}.`, ['not in the map', name])),
    ...used
      .filter((name) => !theirs.has(name))
      .map((name) => absent('source', name, `The map reads ${name}, which the source does not have.`)),
    ...given
      .filter((name) => !ours.has(name))
      .map((name) => absent('robot', name, `The map gives a value to ${name}, which the robot does not have.`)),
  ]
}

const nameOf = ({ name }: { readonly name: string }) => name

/** The map by equal names; only where both sides have the same set of them. */
export const mapByName = (source: Embodiment): JointMap => identityMap(source.joints.map(nameOf))

/** What a map does beyond the same numbers in the same places: each is a difference that the map resolves. */
export function mapDifferences(source: Embodiment, robot: Embodiment, map: JointMap): readonly Difference[] {
  const resolved = (kind: Difference['kind'], place: string, said: readonly [string, string], reason: string) => ({
    ...{ kind, place, source: said[0], robot: said[1], blocks: false, reason },
  })
  const found: Difference[] = []
  const goesTo = new Map(map.joints.map(({ from, to }) => [from, to]))
  const moved = source.joints.flatMap(({ name }) => goesTo.get(name) ?? [])
  const targets = new Set(moved)
  const wanted = robot.joints.map(nameOf).filter((name) => targets.has(name))
  if (moved.join('\n') !== wanted.join('\n'))
    found.push(
      resolved(
        'order',
        'joints',
        [moved.join(', '), wanted.join(', ')],
        'The order differs: joints go by their names.',
      ),
    )
  for (const { from, to, sign, scale, offset } of map.joints) {
    const place = `joints.${to}`
    if (from !== to) found.push(resolved('joints', place, [from, to], `${from} of the source moves ${to}.`))
    if (sign === -1) found.push(resolved('sign', place, ['+', '-'], `${to} turns the other way.`))
    if (scale !== 1)
      found.push(resolved('scale', place, ['1', shown(scale)], `Each unit of ${from} is ${shown(scale)} of ${to}.`))
    if (offset !== 0)
      found.push(resolved('offset', place, ['0', shown(offset)], `Zero of ${from} is ${shown(offset)} of ${to}.`))
  }
  for (const { joint, value } of map.held)
    found.push(
      resolved('joints', `joints.${joint}`, ['not moved', shown(value)], `${joint} is held at ${shown(value)}.`),
    )
  for (const name of map.dropped)
    found.push(resolved('joints', `joints.${name}`, [name, 'dropped'], `${name} of the source goes nowhere.`))
  return found
}
