/** What a reading says about a built model. */
import type { ModelJoint, ModelNames, RootBody } from '../reading.ts'
import { rootBodies } from './fuse-static.ts'
import type { Spec, SpecBody, SpecObject } from './types.ts'

const nameOf = ({ name }: { readonly name: string }): string | null => (name === '' ? null : name)

/** All joints in the order of the compiled model, each with the child of world that it hangs below. */
export function jointsOf(spec: Spec): ModelJoint[] {
  const rootOf = new Map<SpecBody, number>(rootBodies(spec).map((body, i) => [body, i]))
  for (const body of spec.bodies) {
    const above = body.body === null ? undefined : rootOf.get(body.body)
    if (above !== undefined && !rootOf.has(body)) rootOf.set(body, above)
  }
  return spec.joints.map((joint) => ({
    name: nameOf(joint),
    type: joint.type,
    root: joint.body === null ? 0 : (rootOf.get(joint.body) ?? 0),
  }))
}

/** The children of the world. */
export function rootsOf(spec: Spec): RootBody[] {
  return rootBodies(spec).map((body) => ({
    name: nameOf(body),
    floating: body.joints.some(({ type }) => type === 'free'),
  }))
}

/** Names of keyframes, null for unnamed ones. */
export function keyframesOf(spec: Spec): (string | null)[] {
  return spec.keys.map(nameOf)
}

/** Names that others may refer to, unnamed ones left out. */
export function namesOf(spec: Spec): ModelNames {
  const named = (objects: readonly SpecObject[]) => objects.flatMap(({ name }) => (name === '' ? [] : [name]))
  return {
    bodies: named(spec.bodies.filter((body) => body !== spec.world)),
    sites: named(spec.of('site')),
    cameras: named(spec.of('camera')),
    actuators: named(spec.of('actuator')),
  }
}
