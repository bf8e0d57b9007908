/**
 * Which documents ask for secrets: presigned URLs in what is read, and everything that is written, since tokens and
 * URLs are made there.
 */
import { type DocumentNode, type GraphQLSchema, OperationTypeNode, TypeInfo, visit, visitWithTypeInfo } from 'graphql'

/** Whether any operation of a valid document is a mutation, or selects a field whose extension `isSecret` is set. */
export function carriesSecrets(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema)
  let isFound = false
  visit(
    document,
    visitWithTypeInfo(types, {
      OperationDefinition({ operation }) {
        if (operation === OperationTypeNode.MUTATION) isFound = true
      },
      Field() {
        if (types.getFieldDef()?.extensions.isSecret === true) isFound = true
      },
    }),
  )
  return isFound
}
