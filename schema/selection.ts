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

/** Whether all that is selected below the path is in the list; also where nothing is. */
export function selectsOnly(info: Info, path: readonly string[], names: ReadonlySet<string>): boolean {
  return info.fieldNodes.every((node) => onlyBelow(info, node.selectionSet?.selections ?? [], path, names))
}

function onlyBelow(
  info: Info,
  selections: readonly SelectionNode[],
  path: readonly string[],
  names: ReadonlySet<string>,
): boolean {
  const [next, ...rest] = path
  return selections.every((node) => {
    if (node.kind !== Kind.FIELD) {
      const inner = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value]
      return onlyBelow(info, inner?.selectionSet.selections ?? [], path, names)
    }
    const { name, selectionSet } = node
    if (next === undefined) return name.value.startsWith('__') || names.has(name.value)
    return name.value !== next || onlyBelow(info, selectionSet?.selections ?? [], rest, names)
  })
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
