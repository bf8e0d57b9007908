/** What else is wrong with the variables of an operation that is refused for their types: the client is told everything at once. */
import { type ExecutionArgs, getOperationAST, isInputType, Kind, typeFromAST, visit } from 'graphql'
import { MAX_FAULTS, ruleFaults } from '../../schema/rule-faults.ts'
import { HubError } from '../platform/errors.ts'

/** The refusal by the rules of input fields, as the verb would have made it; null where nothing breaks one. */
export function brokenRules({ schema, document, operationName, variableValues }: ExecutionArgs): HubError | null {
  const operation = getOperationAST(document, operationName)
  const names = argumentsOf(document)
  const items = (operation?.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
    const name = variable.name.value
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1])
    return isInputType(type)
      ? ruleFaults({ type, extensions: {} }, variableValues?.[name], [names.get(name) ?? name])
      : []
  })
  const [first] = items
  return first
    ? new HubError('validation.failed', `${first.loc?.join('.')}: ${first.detail}`, {
        items: items.slice(0, MAX_FAULTS),
      })
    : null
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
