/** Duplicate names. */
import type { Building } from './building.ts'
import type { SpecCategory, SpecObject } from './types.ts'

/** Reports a duplicate name, once per name. */
export function reportTwice(
  { faults, twice }: Building,
  category: SpecCategory,
  name: string,
  element: SpecObject['element'],
): void {
  const key = `${category} ${name}`
  if (twice.has(key)) return
  twice.add(key)
  faults.add('name', element, `Two objects of the kind ${category} have the name "${name}".`, {
    names: [name],
    hint: 'Names are unique within their kind, also after replicate and attach have renamed them.',
  })
}
