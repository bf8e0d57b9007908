/** Joints of a URDF as the MJCF joints that MuJoCo creates from them. */
import type { Faults } from '../fault.ts'
import type { XmlElement } from '../xml/element.ts'
import { checkOrigin, mjcfElement, numbersOf, onlyChild, requiredNumbers, requiredText } from './read-urdf.ts'

const typeOfJoint = new Map([
  ['revolute', 'hinge'],
  ['continuous', 'hinge'],
  ['prismatic', 'slide'],
  ['fixed', 'fixed'],
  ['floating', 'free'],
  ['planar', 'planar'],
  ['spherical', 'ball'],
])

/** None for a fixed joint, three for a planar one. A duplicate joint name is dropped, without a fault. */
export function jointsOfUrdf(joint: XmlElement, taken: Set<string>, faults: Faults): XmlElement[] {
  const type = typeOf(joint, faults)
  const name = requiredText(joint, 'name', faults)
  checkOrigin(joint, faults)
  const axisElement = onlyChild(joint, 'axis', faults)
  const axis = axisElement ? requiredNumbers(axisElement, 'xyz', 3, faults) : [1, 0, 0]
  if (type === null || type === 'fixed') return []
  checkDynamics(joint, faults)
  const limit = limitOf(joint, faults)
  const make = (suffix: string, made: Readonly<Record<string, string | null>>) => {
    const wanted = `${name ?? ''}${suffix}`
    const free = wanted !== '' && !taken.has(wanted)
    taken.add(wanted)
    return mjcfElement('joint', { name: free ? wanted : null, ...made }, joint)
  }
  const along = axis && type !== 'free' ? axis.join(' ') : null
  if (type !== 'planar') return [make('', { type, axis: along, ...(type === 'free' ? {} : limit) })]
  return [
    make('_TX', { type: 'slide', ...limit }),
    make('_TY', { type: 'slide' }),
    make('_RZ', { type: 'hinge', axis: along }),
  ]
}

function typeOf(joint: XmlElement, faults: Faults): string | null {
  const written = requiredText(joint, 'type', faults)
  if (written === null) return null
  const type = typeOfJoint.get(written)
  if (type === undefined) {
    const hint = `One of ${[...typeOfJoint.keys()].join(', ')}.`
    faults.add('value', joint, `A joint cannot have the type "${written}".`, { names: [written], hint })
  }
  return type ?? null
}

function checkDynamics(joint: XmlElement, faults: Faults): void {
  const dynamics = onlyChild(joint, 'dynamics', faults)
  if (!dynamics) return
  numbersOf(dynamics, 'damping', 1, faults)
  numbersOf(dynamics, 'friction', 1, faults)
}

/** Limits that are not a valid range are ignored, without a fault. */
function limitOf(joint: XmlElement, faults: Faults): Record<string, string> {
  const limit = onlyChild(joint, 'limit', faults)
  if (!limit) return {}
  const [lower] = numbersOf(limit, 'lower', 1, faults) ?? []
  const [upper] = numbersOf(limit, 'upper', 1, faults) ?? []
  const [effort = 0] = numbersOf(limit, 'effort', 1, faults) ?? []
  const force: Record<string, string> =
    Math.abs(effort) > 0 ? { actuatorfrcrange: `${-Math.abs(effort)} ${Math.abs(effort)}` } : {}
  if (lower === undefined && upper === undefined) return force
  if (lower === undefined || upper === undefined || lower > upper) return { ...force, limited: 'false' }
  return { ...force, range: `${lower} ${upper}` }
}
