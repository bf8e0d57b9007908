import type { Spec, SpecObject } from '../spec/types.ts'
import type { Report } from './report.ts'

/**
 * The material of a flex, skin or tendon, or the texture of a light. What discards visuals takes all materials and textures away, and leaves these
 * referring to one.
 */
export function checkLasting(spec: Spec, object: SpecObject, attribute: 'material' | 'texture', report: Report): void {
  const name = object.ref(attribute)
  if (!spec.compiler.discardvisual) report.optional(object, attribute, attribute, name)
  else if (name !== '') {
    const hint = `Leave out the ${attribute}, or leave discardvisual off.`
    report.refused(object, attribute, `refers to the ${attribute} "${name}", which discardvisual takes away`, hint)
  }
}
