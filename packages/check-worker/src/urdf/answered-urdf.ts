/**
 * A URDF for MuJoCo with the answers to its open questions: whether its base floats, and whether visual shapes are
 * kept. Both are written into the document itself, where MuJoCo reads them. Pure.
 */

import type { XmlElement } from '@hub/mjcf/xml/element'
import { parseXml } from '@hub/mjcf/xml/parse-xml'
import { type CheckOptions, type Need, need } from '../request.ts'
import { xmlText } from './xml-text.ts'

export interface AnsweredUrdf {
  /** Null if the answers change nothing. */
  readonly text: string | null
  /** The free joint that was added. */
  readonly baseJoint: string | null
  /** Rad/s or m/s by joint: MuJoCo has no such limit, so that a conversion drops it. */
  readonly velocities: ReadonlyMap<string, number>
  /** Of all links; null if none has a mass. MuJoCo treats bodies fixed to the world as part of it. */
  readonly massKg: number | null
  readonly needs: readonly Need[]
}

interface UrdfAnswers {
  readonly base: string | null
  readonly discardVisual: CheckOptions['discard_visual']
}

/** Throws `ModelRefusal` if it is not XML. */
export function answeredUrdf(bytes: Uint8Array, file: string, { base, discardVisual }: UrdfAnswers): AnsweredUrdf {
  const robot = parseXml(bytes, file)
  const velocities = velocityLimits(robot)
  const massKg = massOf(robot)
  const free = base === 'floating' ? freeBase(robot) : { joint: null, needs: [] }
  if (free.joint !== null) addFreeJoint(robot, free.joint)
  if (typeof discardVisual === 'boolean') setDiscardVisual(robot, discardVisual)
  const isChanged = free.joint !== null || typeof discardVisual === 'boolean'
  return {
    text: isChanged ? xmlText(robot) : null,
    baseJoint: free.joint?.name ?? null,
    velocities,
    massKg,
    needs: free.needs,
  }
}

const childrenOf = (element: XmlElement, name: string) => element.children.filter((child) => child.name === name)

const nameOf = (element: XmlElement) => element.attributes.get('name') ?? ''

function velocityLimits(robot: XmlElement): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const joint of childrenOf(robot, 'joint')) {
    const velocity = Number(childrenOf(joint, 'limit')[0]?.attributes.get('velocity') ?? '')
    // Exporters write 0 for unknown values.
    if (Number.isFinite(velocity) && velocity > 0) found.set(nameOf(joint), velocity)
  }
  return found
}

function massOf(robot: XmlElement): number | null {
  const inertials = childrenOf(robot, 'link').flatMap((link) => childrenOf(link, 'inertial'))
  const masses = inertials.map((inertial) => Number(childrenOf(inertial, 'mass')[0]?.attributes.get('value') ?? ''))
  const sum = masses.filter(Number.isFinite).reduce((total, mass) => total + mass, 0)
  return sum > 0 ? sum : null
}

interface FreeJoint {
  readonly name: string
  readonly child: string
}

/** The free joint that the robot lacks, or why none can be added. */
function freeBase(robot: XmlElement): { readonly joint: FreeJoint | null; readonly needs: readonly Need[] } {
  const joints = childrenOf(robot, 'joint')
  if (joints.some((joint) => joint.attributes.get('type') === 'floating')) return { joint: null, needs: [] }
  const links = childrenOf(robot, 'link').map(nameOf)
  const below = new Set(joints.map((joint) => childrenOf(joint, 'child')[0]?.attributes.get('link')))
  const roots = links.filter((link) => !below.has(link))
  const [root] = roots
  if (root === undefined || roots.length > 1 || links.includes(WORLD)) {
    const why = links.includes(WORLD)
      ? 'The base is said to be floating, but the URDF ties the robot to a link named world.'
      : `The base is said to be floating, but the URDF has ${roots.length} root links: which of them floats is not said.`
    const suggestion = links.includes(WORLD)
      ? 'Say fixed, or make the joint below world one of type floating.'
      : 'Join the links to one root.'
    return { joint: null, needs: [need('blocking', 'base', why, { names: roots, suggestion })] }
  }
  const taken = new Set(joints.map(nameOf))
  let name = BASE_JOINT
  while (taken.has(name)) name = `${name}_`
  return { joint: { name, child: root }, needs: [] }
}

/** MuJoCo takes the link of this name for the world itself. */
const WORLD = 'world'
const BASE_JOINT = 'floating_base'

function addFreeJoint(robot: XmlElement, { name, child }: FreeJoint): void {
  const parent = made(robot, 'parent', { link: WORLD })
  const below = made(robot, 'child', { link: child })
  robot.children.push(made(robot, 'link', { name: WORLD }))
  robot.children.push(made(robot, 'joint', { name, type: 'floating' }, [parent, below]))
}

/** MuJoCo takes one `<mujoco>` with one `<compiler>`, so that the setting goes into those that are there. */
function setDiscardVisual(robot: XmlElement, value: boolean): void {
  let settings = childrenOf(robot, 'mujoco')[0]
  if (!settings) {
    settings = made(robot, 'mujoco', {})
    robot.children.push(settings)
  }
  const place = settings.children.findIndex(({ name }) => name === 'compiler')
  const before = settings.children[place]
  const attributes = { ...Object.fromEntries(before?.attributes ?? []), discardvisual: String(value) }
  const compiler = made(before ?? robot, 'compiler', attributes)
  settings.children.splice(Math.max(0, place), before ? 1 : 0, compiler)
}

function made(
  { file, line }: XmlElement,
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: XmlElement[] = [],
): XmlElement {
  return { name, attributes: new Map(Object.entries(attributes)), children, file, line }
}
