/** Inspects the selection below a field, for reads whose cost depends on it. */
import {
  type FieldNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
} from 'graphql'

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>

/** Whether the path of field names is selected below the field; handles aliases, fragments, `@skip` and `@include`. */
export function selects(info: Info, path: readonly string[]): boolean {
  return info.fieldNodes.some((node) => selectsBelow(info, node.selectionSet?.selections ?? [], path))
}

function selectsBelow(info: Info, selections: readonly SelectionNode[], path: readonly string[]): boolean {
  return selections.some((node) => {
    if (!isIncluded(info, node)) return false
    if (node.kind === Kind.FIELD) return isOnPath(info, node, path)
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value]
    return selectsBelow(info, inner?.selectionSet.selections ?? [], path)
  })
}

function isOnPath(info: Info, { name, selectionSet }: FieldNode, [next, ...rest]: readonly string[]): boolean {
  return name.value === next && (rest.length === 0 || selectsBelow(info, selectionSet?.selections ?? [], rest))
}

function isIncluded({ variableValues }: Info, node: SelectionNode): boolean {
  if (!node.directives?.length) return true
  const said = (directive: GraphQLDirective) => getDirectiveValues(directive, node, variableValues)?.if
  return said(GraphQLSkipDirective) !== true && said(GraphQLIncludeDirective) !== false
}
