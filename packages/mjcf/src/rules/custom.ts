import { FUSED_HINT, fusedAway, namesAfterFusing } from '../compose/fuse-static.ts'
import { OBJECT_TYPES } from '../compose/targets.ts'
import type { Spec } from '../compose/types.ts'
import { wordsOf } from '../grammar/values.ts'
import { within } from './fields.ts'
import type { Report } from './report.ts'

/** Checks that the objects in tuples exist. */
export function checkCustom(spec: Spec, report: Report): void {
  const tuples = spec.of('tuple')
  const left = tuples.length > 0 ? namesAfterFusing(spec) : null
  for (const tuple of tuples) {
    if (tuple.parts.length === 0) report.refused(tuple, 'empty', 'is empty')
    // MuJoCo joins the names with blanks and takes them apart again.
    const names = tuple.parts.flatMap(({ name }) => wordsOf(name))
    if (names.length !== tuple.parts.length) {
      report.refused(tuple, 'names', 'holds a name that is empty or has blanks')
      continue
    }
    for (const [i, { element }] of tuple.parts.entries()) {
      const name = names[i] as string
      const at = within(tuple, element)
      const type = element.attributes.get('objtype') ?? ''
      const category = OBJECT_TYPES.get(type)
      // An unknown type is reported where attributes are read. The only type without names is that of degrees of
      // freedom.
      const held = category && report.target(at, 'objname', category, name)
      if (held && type === 'xbody' && left?.has(name) === false)
        report.refused(at, 'fused', `holds ${fusedAway(name)}`, FUSED_HINT)
      const discarded = spec.compiler.discardvisual && (category === 'material' || category === 'texture')
      if (discarded) report.refused(at, 'discarded', `holds a ${category}, which discardvisual takes away`)
      else if (type === 'dof') report.refused(at, 'objtype', 'holds a dof, which has no name')
    }
  }
}
