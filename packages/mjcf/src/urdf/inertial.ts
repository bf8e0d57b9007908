/** Mass and inertia of a URDF's links. */
import type { Faults } from '../fault.ts'
import { readNumbers } from '../grammar/values.ts'
import type { XmlElement } from '../xml/element.ts'
import { checkOrigin, mjcfElement, onlyChild, requiredChild, requiredNumbers } from './read-urdf.ts'

/** In the order of MJCF's `fullinertia`. */
const MEMBERS = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz']

/** Null if the link has none, or an unreadable one. An inertia of zeros counts as absent. */
export function inertialOf(link: XmlElement, faults: Faults): XmlElement | null {
  const inertial = onlyChild(link, 'inertial', faults)
  if (!inertial) return null
  checkOrigin(inertial, faults)
  const massElement = requiredChild(inertial, 'mass', faults)
  const mass = massElement && requiredNumbers(massElement, 'value', 1, faults)
  const inertiaElement = requiredChild(inertial, 'inertia', faults)
  const inertia =
    inertiaElement && MEMBERS.map((member) => requiredNumbers(inertiaElement, member, 1, faults)?.[0] ?? null)
  if (!mass || !inertia || inertia.includes(null)) return null
  const turn = isTurnable(inertial) ? '1 0 0 0' : 'nan 0 0 0'
  // The tensor is rotated with its origin, which affects only its last digits; with a NaN rotation it counts as absent.
  const given = inertia.some((value) => value !== 0)
  const fullinertia = given && isTurnable(inertial) ? inertia.join(' ') : null
  const quat = given ? turn : null
  return mjcfElement('inertial', { pos: '0 0 0', mass: mass.join(' '), fullinertia, quat }, inertial)
}

function isTurnable(inertial: XmlElement): boolean {
  const origin = inertial.children.find(({ name }) => name === 'origin')
  return (readNumbers(origin?.attributes.get('rpy') ?? '') ?? []).every(Number.isFinite)
}
