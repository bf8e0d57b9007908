/** What is said of the whole body: base, rate, action and cameras. */
import type { Embodiment, EmbodimentAction, EmbodimentCamera } from '../embodiment.ts'
import type { JointMap } from '../joint-map.ts'
import { type Difference, shown } from './difference.ts'

export const wholeDifferences = (source: Embodiment, robot: Embodiment, map: JointMap | null): Difference[] => [
  ...baseDifference(source, robot),
  ...rateDifference(source.rateHz, robot.rateHz),
  ...actionDifferences(source.action, robot.action, map),
  ...cameraDifferences(source.cameras, robot.cameras),
]

function baseDifference({ base: source }: Embodiment, { base: robot }: Embodiment): Difference[] {
  if (source === null || robot === null || source === robot) return []
  const reason = `One has a ${source} base, the other a ${robot} one.`
  return [{ kind: 'base', place: 'base', source, robot, blocks: true, reason }]
}

function rateDifference(source: number | null, robot: number | null): Difference[] {
  if (source === null || robot === null || source === robot) return []
  const slower = robot < source
  const reason = slower
    ? `The robot takes ${shown(robot)} commands a second, and ${shown(source)} are needed.`
    : `The robot takes ${shown(robot)} commands a second: each of the source's ${shown(source)} is held for longer.`
  const said = { source: `${shown(source)} Hz`, robot: `${shown(robot)} Hz` }
  return [{ kind: 'rate', place: 'control_rate_hz', ...said, blocks: slower, reason }]
}

function actionDifferences(
  source: EmbodimentAction | null,
  robot: EmbodimentAction | null,
  map: JointMap | null,
): Difference[] {
  if (!source || !robot) return []
  if (source.semantics !== robot.semantics)
    return [
      {
        ...{
          kind: 'action',
          place: 'action.semantics',
          source: source.semantics,
          robot: robot.semantics,
          blocks: true,
        },
        reason: `Actions mean ${source.semantics} to one and ${robot.semantics} to the other.`,
      },
    ]
  const own = 'Numbers mean what their own side says: the scale and clip of the source are to be used.'
  const found: Difference[] = []
  const differs = (place: string, theirs: number | null, ours: number | null) => {
    if (theirs === null || ours === null || theirs === ours) return
    found.push({ kind: 'action', place, source: shown(theirs), robot: shown(ours), blocks: false, reason: own })
  }
  for (const { from, to } of map?.joints ?? []) differs(`action.scale.${to}`, scaleOf(source, from), scaleOf(robot, to))
  differs('action.clip', source.clip, robot.clip)
  return found
}

const scaleOf = ({ scale, scalePerJoint }: EmbodimentAction, joint: string) =>
  scalePerJoint && Object.hasOwn(scalePerJoint, joint) ? (scalePerJoint[joint] ?? null) : scale

/** By two tables of the robot's cameras: the time grows with the sum of both numbers. */
function cameraDifferences(wanted: readonly EmbodimentCamera[], cameras: readonly EmbodimentCamera[]): Difference[] {
  const [bySlot, byWord] = [new Map<string, EmbodimentCamera>(), new Map<string, EmbodimentCamera>()]
  // From the last one, so that the first of equal ones stays.
  for (const camera of cameras.toReversed()) {
    byWord.set(camera.name, camera)
    if (camera.slot !== null) for (const named of [bySlot, byWord]) named.set(camera.slot, camera)
  }
  return wanted.flatMap((camera) =>
    cameraDifference(camera, (camera.slot === null ? undefined : bySlot.get(camera.slot)) ?? byWord.get(camera.name)),
  )
}

/** `found`: the robot's camera that serves as `wanted`. */
function cameraDifference(wanted: EmbodimentCamera, found: EmbodimentCamera | undefined): Difference[] {
  const place = `cameras.${wanted.name}`
  const needed = wanted.needed !== false
  if (!found) {
    const reason = needed
      ? `The robot has no camera ${wanted.slot ?? wanted.name}.`
      : `The robot has no camera ${wanted.name}: its motion is complete without.`
    return [{ kind: 'cameras', place, source: sizeOf(wanted), robot: 'no such camera', blocks: needed, reason }]
  }
  const small = less(found.width, wanted.width) || less(found.height, wanted.height)
  if (!small) return []
  const reason = `Pictures of ${found.name} are smaller than those of ${wanted.name}.`
  return [{ kind: 'cameras', place, source: sizeOf(wanted), robot: sizeOf(found), blocks: false, reason }]
}

const less = (a: number | null, b: number | null) => a !== null && b !== null && a < b

const sizeOf = ({ width, height, slot, name }: EmbodimentCamera) =>
  width === null || height === null ? (slot ?? name) : `${width} x ${height}`
