import type { Faults } from '../fault.ts'
import { fusedBodies } from './fuse-static.ts'
import type { Spec } from './types.ts'

/** A free joint is the only joint of its body, which is a child of the world; the world has no joints. */
export function checkFreeJoints(spec: Spec, faults: Faults): void {
  const stray = spec.world.joints[0]
  if (stray) faults.add('compile', stray.element, 'The world has no joints.', { hint: 'Put it into a <body>.' })
  const roots = new Set(fusedBodies(spec).flatMap(({ body, parent }) => (parent?.parent === null ? [body] : [])))
  const reported = new Set<unknown>()
  for (const { type, element, name, body } of spec.joints) {
    if (type !== 'free' || body === null || body === spec.world || reported.has(element)) continue
    const label = name === '' ? 'An unnamed free joint' : `The free joint "${name}"`
    const names = name === '' ? [] : [name]
    if (!roots.has(body)) {
      reported.add(element)
      faults.add('compile', element, `${label} is in a body that is not a child of the world.`, {
        names,
        hint: 'Only bodies directly in <worldbody> can float freely.',
      })
    } else if (body.joints.length > 1) {
      reported.add(element)
      faults.add('compile', element, `${label} is not the only joint of its body.`, {
        names,
        hint: 'A free joint has all six degrees of freedom; remove the others.',
      })
    }
  }
}
