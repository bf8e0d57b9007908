/** `fusestatic`: bodies that cannot move become part of their parent, so that bodies below them may come to be children of the world. */

import { equalityTargets, OBJECT_TYPES, sensorTargets } from './targets.ts'
import type { Spec, SpecBody, SpecCategory, SpecObject } from './types.ts'

/** The bodies that are children of the world once the model is compiled, in their order. */
export function rootBodies(spec: Spec): readonly SpecBody[] {
  if (!spec.compiler.fusestatic) return spec.world.bodies
  const kept = keptBodies(spec)
  const roots: SpecBody[] = []
  const stack = spec.world.bodies.toReversed()
  for (let body = stack.pop(); body !== undefined; body = stack.pop()) {
    if (body.joints.length > 0 || body.mocap || kept.has(body.name)) roots.push(body)
    else stack.push(...body.bodies.toReversed())
  }
  return roots
}

/** Names of bodies that something refers to: those stay bodies, and so do the ones with a site of a force or torque sensor, if they have a name. */
function keptBodies(spec: Spec): ReadonlySet<string> {
  const kept = new Set<string>()
  const keep = (name: string) => name !== '' && kept.add(name)
  for (const category of ['camera', 'light'] as const) for (const node of spec.of(category)) keep(node.ref('target'))
  for (const node of spec.of('actuator')) keep(node.ref('body'))
  for (const node of spec.of('exclude')) for (const attribute of ['body1', 'body2']) keep(node.ref(attribute))
  for (const node of spec.of('skin')) for (const { name } of node.parts) keep(name)
  for (const node of spec.of('equality')) keepTargets(node, equalityTargets(node.element), keep)
  for (const node of spec.of('sensor')) {
    keepTargets(node, sensorTargets(node.element), keep)
    const feels = node.element.name === 'force' || node.element.name === 'torque'
    const body = feels ? spec.find('site', node.ref('site'))?.body : null
    if (body) keep(body.name)
  }
  for (const { parts } of spec.of('tuple')) {
    for (const { element, name } of parts) if (isBody(OBJECT_TYPES[element.attributes.get('objtype') ?? ''])) keep(name)
  }
  return kept
}

function keepTargets(
  node: SpecObject,
  targets: ReturnType<typeof sensorTargets>,
  keep: (name: string) => unknown,
): void {
  for (const { attribute, category } of targets) if (isBody(category)) keep(node.ref(attribute))
}

function isBody(category: SpecCategory | undefined): boolean {
  return category === 'body'
}
