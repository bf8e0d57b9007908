/** Joints that go together: their kinds, units, ranges and default poses. */
import type { Embodiment, EmbodimentJoint } from '../embodiment.ts'
import type { JointMap, MappedJoint } from '../joint-map.ts'
import { type Difference, shown, shownRange } from './difference.ts'
import { apart, changeWords, mappedRange, NEAR, plainChange, rangeOf, within } from './ranges.ts'

interface Pair {
  readonly mapped: MappedJoint
  readonly source: EmbodimentJoint
  readonly robot: EmbodimentJoint
}

/** `kept`: whether a person gave the map; only then is an undeclared unit settled. */
export function jointDifferences(source: Embodiment, robot: Embodiment, map: JointMap, kept: boolean): Difference[] {
  const theirs = new Map(source.joints.map((joint) => [joint.name, joint]))
  const ours = new Map(robot.joints.map((joint) => [joint.name, joint]))
  const pairs = map.joints.flatMap((mapped): Pair[] => {
    const [from, to] = [theirs.get(mapped.from), ours.get(mapped.to)]
    return from && to ? [{ mapped, source: from, robot: to }] : []
  })
  return [
    ...unsaidUnits(pairs, kept),
    ...pairs.flatMap((pair) => [
      ...kindDifference(pair),
      ...rangeDifference(pair),
      ...reachDifference(pair, 'velocity', source.action?.semantics === 'velocity'),
      ...reachDifference(
        pair,
        'effort',
        source.action?.semantics === 'torque' || source.action?.semantics === 'effort',
      ),
      ...poseDifference(pair, source, robot),
    ]),
    ...heldOutside(map, ours),
  ]
}

function unsaidUnits(pairs: readonly Pair[], kept: boolean): Difference[] {
  const unsaid = pairs.filter(({ source, robot }) => source.unit === null || robot.unit === null)
  if (unsaid.length === 0 || kept) return []
  const names = unsaid.map(({ mapped }) => mapped.to)
  const [source, robot] = [unsaid.some((pair) => pair.source.unit === null), unsaid.some((p) => p.robot.unit === null)]
  return [
    {
      ...{ kind: 'unit', place: 'joints', blocks: true },
      ...{ source: source ? 'not said' : 'said', robot: robot ? 'not said' : 'said' },
      reason: `No side says the unit of ${names.join(', ')}: it may be degrees. A map that a person keeps says it.`,
    },
  ]
}

function kindDifference({ mapped, source, robot }: Pair): Difference[] {
  const place = `joints.${mapped.to}`
  const said = (joint: EmbodimentJoint) =>
    joint.kind ?? (joint.unit === 'rad' ? 'hinge' : joint.unit === 'm' ? 'slide' : null)
  const [theirs, ours] = [said(source), said(robot)]
  if (theirs === null || ours === null || theirs === ours) return []
  const reason = `${mapped.from} is a ${theirs} and ${mapped.to} a ${ours}: an angle is not a length.`
  return [{ kind: 'unit', place, source: theirs, robot: ours, blocks: true, reason }]
}

function rangeDifference({ mapped, source, robot }: Pair): Difference[] {
  const [theirs, ours] = [rangeOf(source), rangeOf(robot)]
  if (!theirs || !ours) return []
  const reached = mappedRange(theirs, mapped)
  if (within(reached, ours)) return []
  const change = plainChange(reached, ours)
  const hint = change ? ` The ranges are equal with ${changeWords(change)}: a map may say so.` : ''
  const what = apart(reached, ours) ? 'has no value in common with' : 'goes beyond'
  return [
    {
      ...{ kind: 'limits', place: `joints.${mapped.to}`, blocks: true },
      ...{ source: shownRange(reached), robot: shownRange(ours) },
      reason: `The range of ${mapped.from} ${what} the limits of ${mapped.to}.${hint}`,
    },
  ]
}

/** A slower or weaker joint follows less well; it cannot be driven by speeds or torques that it does not reach. */
function reachDifference({ mapped, source, robot }: Pair, what: 'velocity' | 'effort', drives: boolean): Difference[] {
  const [theirs, ours] = [source[what], robot[what]]
  if (theirs === null || ours === null) return []
  // A force over a lever: what multiplies positions divides it.
  const reached = what === 'velocity' ? theirs * mapped.scale : theirs / mapped.scale
  if (reached <= ours * (1 + NEAR)) return []
  const reason = `${mapped.to} reaches ${shown(ours)} of the ${shown(reached)} that the source may ask for.`
  const place = `joints.${mapped.to}.${what}`
  return [{ kind: 'limits', place, source: shown(reached), robot: shown(ours), blocks: drives, reason }]
}

function poseDifference(
  { mapped, source: from, robot: to }: Pair,
  source: Embodiment,
  robot: Embodiment,
): Difference[] {
  const [theirs, ours] = [posed(source, from.name), posed(robot, to.name)]
  if (theirs === undefined || ours === undefined) return []
  const led = mapped.sign * mapped.scale * theirs + mapped.offset
  if (Math.abs(led - ours) <= NEAR) return []
  const counts = source.action?.semantics === 'position_offset'
  const reason = counts
    ? `Actions are offsets from the default pose, and that of ${mapped.to} differs.`
    : `The default pose of ${mapped.to} differs: its sign or its zero may differ too.`
  return [
    {
      kind: 'pose',
      place: `joints.${mapped.to}.pose`,
      source: shown(led),
      robot: shown(ours),
      blocks: counts,
      reason,
    },
  ]
}

/** A joint may have the name of a member that every object has. */
const posed = ({ pose }: Embodiment, name: string): number | undefined =>
  pose && Object.hasOwn(pose, name) ? pose[name] : undefined

function heldOutside(map: JointMap, ours: ReadonlyMap<string, EmbodimentJoint>): Difference[] {
  return map.held.flatMap(({ joint, value }): Difference[] => {
    const robot = ours.get(joint)
    const range = robot ? rangeOf(robot) : null
    if (!robot || !range || within({ lower: value, upper: value }, range)) return []
    const reason = `The map holds ${joint} at ${shown(value)}, which is outside its limits.`
    const place = `joints.${joint}`
    return [{ kind: 'limits', place, source: shown(value), robot: shownRange(robot), blocks: true, reason }]
  })
}
