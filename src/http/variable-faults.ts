/** What else is wrong with the variables of an operation that is refused for their types: the client is told everything at once. */
import { type ExecutionArgs, getOperationAST, isInputType, Kind, typeFromAST, visit } from 'graphql'
import { brokenRules, ruleFaults } from '../../schema/rule-faults.ts'
import type { HubError } from '../platform/errors.ts'

/** The refusal by the rules of input fields, as the verb would have made it; null where nothing breaks one. */
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

/** Places begin with the argument that a variable is given to. */
function argumentsOf(document: ExecutionArgs['document']): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  visit(document, {
    Argument({ name, value }) {
      if (value.kind === Kind.VARIABLE) names.set(value.name.value, name.value)
    },
  })
  return names
}
