/** Facts about a built model for a reading. */
import type { ModelJoint, ModelNames, RootBody } from '../reading.ts'
import { type FusedBody, fusedBodies } from './fuse-static.ts'
import type { Spec, SpecObject } from './types.ts'

const nameOf = ({ name }: { readonly name: string }): string | null => (name === '' ? null : name)

/** All joints in compiled order, each with the child of the world body above it. */
export function jointsOf(spec: Spec): ModelJoint[] {
  const rootOf = new Map<FusedBody, number>()
  let roots = 0
  return fusedBodies(spec).flatMap((fused) => {
    const { body, parent } = fused
    const root = parent === null ? 0 : parent.parent === null ? roots++ : (rootOf.get(parent) ?? 0)
    rootOf.set(fused, root)
    return body.joints.map((joint) => ({ name: nameOf(joint), type: joint.type, root }))
  })
}

/** The children of the world. */
export function rootsOf(spec: Spec): RootBody[] {
  const roots = fusedBodies(spec).filter(({ parent }) => parent?.parent === null)
  return roots.map(({ body }) => ({ name: nameOf(body), floating: body.joints.some(({ type }) => type === 'free') }))
}

/** Names of keyframes, null for unnamed ones. */
export function keyframesOf(spec: Spec): (string | null)[] {
  return spec.keys.map(nameOf)
}

/** Names that others may refer to, in the order of the compiled model, unnamed ones left out. */
export function namesOf(spec: Spec): ModelNames {
  const bodies = fusedBodies(spec)
  const within = (list: 'sites' | 'cameras') =>
    bodies.flatMap(({ parts }) => parts.flatMap((part) => named(part[list])))
  return {
    bodies: named(bodies.slice(1).map(({ body }) => body)),
    sites: within('sites'),
    cameras: within('cameras'),
    actuators: named(spec.of('actuator')),
  }
}

function named(objects: readonly SpecObject[]): string[] {
  return objects.flatMap(({ name }) => (name === '' ? [] : [name]))
}
