/**
 * `fusestatic`: bodies that cannot move are merged into their parent, so bodies below them can become children of the
 * world.
 */
import { sensorTargets } from './targets.ts'
import type { Spec, SpecBody, SpecObject } from './types.ts'

/** A body of the compiled model and the bodies that were merged into it; the body itself comes first. */
export interface FusedBody {
  readonly body: SpecBody
  /** The nearest ancestor that remains; null for the world. */
  readonly parent: FusedBody | null
  readonly parts: SpecBody[]
}

/** The bodies of the compiled model, the world first. */
export function fusedBodies(spec: Spec): FusedBody[] {
  const kept = spec.compiler.fusestatic ? keptBodies(spec) : null
  const all: FusedBody[] = []
  const homes = new Map<SpecBody, FusedBody>()
  for (const body of spec.bodies) {
    const parent = (body.body && homes.get(body.body)) ?? null
    if (parent !== null && kept !== null && !kept.has(body)) {
      parent.parts.push(body)
      homes.set(body, parent)
    } else {
      const fused = { body, parent, parts: [body] }
      all.push(fused)
      homes.set(body, fused)
    }
  }
  return all
}

/** Names of the bodies of the compiled model; null without `fusestatic`, because then every body remains. */
export function namesAfterFusing(spec: Spec): ReadonlySet<string> | null {
  return spec.compiler.fusestatic ? new Set(fusedBodies(spec).map(({ body }) => body.name)) : null
}

/** The message for a reference to a body that `fusestatic` removes. */
export const fusedAway = (name: string) => `the body "${name}", which fusestatic makes part of its parent`
export const FUSED_HINT = 'Give it a joint, or leave fusestatic off.'

/**
 * Moving bodies remain, and so do named bodies that something refers to. MuJoCo looks names up by the original indices
 * of bodies: while the index of the last referenced body lies past the end of the shrinking list, no named body is
 * fused at all.
 */
function keptBodies(spec: Spec): ReadonlySet<SpecBody> {
  const { referred, felt } = references(spec)
  const last = spec.bodies.findLastIndex(({ name }) => referred.has(name))
  const kept = new Set<SpecBody>()
  let left = spec.bodies.length
  for (const [place, body] of spec.bodies.entries()) {
    const lost = last >= left && place <= last
    const needed = body.name !== '' && (referred.has(body.name) || felt.has(body) || lost)
    if (place === 0 || needed || body.joints.length > 0 || body.mocap) kept.add(body)
    else left -= 1
  }
  return kept
}

/** Names of bodies that something refers to, and bodies with a site of a force or torque sensor. */
function references(spec: Spec): { readonly referred: ReadonlySet<string>; readonly felt: ReadonlySet<SpecBody> } {
  const referred = new Set<string>()
  const felt = new Set<SpecBody>()
  const refer = (node: SpecObject, ...attributes: readonly string[]) => {
    for (const attribute of attributes) if (node.ref(attribute) !== '') referred.add(node.ref(attribute))
  }
  for (const category of ['camera', 'light'] as const) for (const node of spec.of(category)) refer(node, 'target')
  for (const node of spec.of('actuator')) refer(node, 'body')
  for (const category of ['exclude', 'equality'] as const) {
    for (const node of spec.of(category)) refer(node, 'body1', 'body2')
  }
  for (const node of spec.of('skin')) for (const { name } of node.parts) referred.add(name)
  for (const { parts } of spec.of('tuple')) {
    for (const { element, name } of parts) {
      if (element.attributes.get('objtype') === 'body') referred.add(name)
    }
  }
  for (const node of spec.of('sensor')) {
    const bodies = sensorTargets(node.element).filter(({ category, isFusible }) => category === 'body' && !isFusible)
    refer(node, ...bodies.map(({ attribute }) => attribute))
    const feels = node.element.name === 'force' || node.element.name === 'torque'
    const body = feels ? spec.find('site', node.ref('site'))?.body : null
    if (body) felt.add(body)
  }
  return { referred, felt }
}
