/** Finds rule violations in variables that already failed type checks, so that the client gets all faults at once. */
import { type ExecutionArgs, getOperationAST, isInputType, Kind, typeFromAST, visit } from 'graphql'
import { brokenRules, ruleFaults } from '../../schema/rule-faults.ts'
import type { HubError } from '../platform/errors.ts'

/** The error for broken input rules, as the verb would throw it; null if none is broken. */
export function brokenRulesOfVariables({
  schema,
  document,
  operationName,
  variableValues,
}: ExecutionArgs): HubError | null {
  const operation = getOperationAST(document, operationName)
  const names = argumentsOf(document)
  const items = (operation?.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
    const name = variable.name.value
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1])
    return isInputType(type)
      ? ruleFaults({ type, extensions: {} }, variableValues?.[name], [names.get(name) ?? name])
      : []
  })
  return brokenRules(items)
}

/** Locations start with the argument that uses the variable. */
function argumentsOf(document: ExecutionArgs['document']): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  visit(document, {
    Argument({ name, value }) {
      if (value.kind === Kind.VARIABLE) names.set(value.name.value, name.value)
    },
  })
  return names
}
