import type { Spec, SpecObject } from '../compose/types.ts'
import { inherited } from './fields.ts'
import type { Report } from './report.ts'

/**
 * The material of a flex, skin or tendon, or the texture of a light. Discarding visuals removes all materials and
 * textures, but not these references to them.
 */
export function checkLasting(spec: Spec, object: SpecObject, attribute: 'material' | 'texture', report: Report): void {
  const name = object.ref(attribute)
  if (!spec.compiler.discardvisual) {
    report.optional(object, attribute, attribute, name)
    if (object.category === 'tendon') checkInherited(spec, object, attribute, report)
  } else if (name !== '') {
    const hint = `Leave out the ${attribute}, or leave discardvisual off.`
    report.refused(object, attribute, `refers to the ${attribute} "${name}", which discardvisual takes away`, hint)
  }
}

/**
 * The texture or material of the default class of a material or tendon, which MuJoCo looks up even if the object names
 * another. Attaching a model renames its objects and drops this reference.
 */
export function checkInherited(
  spec: Spec,
  object: SpecObject,
  attribute: 'material' | 'texture',
  report: Report,
): void {
  if (object.model === spec.loaded) report.optional(object, attribute, attribute, inherited(object, attribute))
}
