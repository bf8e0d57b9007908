/** The variables that decide which fields of a document are selected. */
import { type DocumentNode, Kind, visit } from 'graphql'

/** Each combination of the variables in `@skip` and `@include` has a plan: more variables would make too many. */
export const MAX_CONDITIONS = 4

/** The names of the variables in `@skip` and `@include`, anywhere in the document. */
export function conditionsIn(document: DocumentNode): string[] {
  const names = new Set<string>()
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      if (name.value !== 'skip' && name.value !== 'include') return
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return [...names]
}
