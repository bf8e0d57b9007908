import type { Spec } from '../spec/types.ts'
import { numbersIn, within } from './fields.ts'
import type { Report } from './report.ts'
import { categoryOf } from './sensor-subjects.ts'

const MAX_NUMBERS = 500

/** Custom numbers, texts and tuples. */
export function checkCustom(spec: Spec, report: Report): void {
  for (const numeric of spec.of('numeric')) {
    const { attributes } = numeric.element
    const size = numbersIn(attributes.get('size'))[0] ?? numbersIn(attributes.get('data')).length
    if (size < 1 || size > MAX_NUMBERS)
      report.refused(numeric, 'size', `has ${size} numbers; it must have 1 to ${MAX_NUMBERS}`)
  }
  for (const text of spec.of('text')) {
    if (text.element.attributes.get('data') === '') report.refused(text, 'data', 'is empty')
  }
  for (const tuple of spec.of('tuple')) {
    if (tuple.parts.length === 0) report.refused(tuple, 'empty', 'is empty')
    for (const { element, name } of tuple.parts) {
      const at = within(tuple, element)
      const type = element.attributes.get('objtype') ?? ''
      const category = categoryOf(type)
      if (category === undefined)
        report.refused(at, 'objtype', `has an element of the object type "${type}", which there is none of`)
      else report.target(at, 'objname', category, name)
    }
  }
}
