/**
 * A Pothos plugin: building the schema fails for a root field without a declared scope, or with a scope that is never
 * checked.
 */
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import { isOperationScope } from './operation-scope.ts'

const PLUGIN = 'declaredScope' as const

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      declaredScope: DeclaredScopePlugin<Types>
    }
  }
}

class DeclaredScopePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (field.kind === 'Query' || field.kind === 'Mutation' || field.kind === 'Subscription') assertDeclared(field)
    return field
  }
}

type RootField = Pick<PothosOutputFieldConfig<SchemaTypes>, 'parentType' | 'name' | 'extensions'> & {
  readonly pothosOptions: object
}

function assertDeclared(field: RootField): void {
  const name = `${field.parentType}.${field.name}`
  const scope = field.extensions?.scope
  if (!isOperationScope(scope)) {
    throw new Error(
      `${name} declares no scope: make it with query(), mutation() or subscription() of schema/root-field.ts.`,
    )
  }
  if (scope !== 'none' && !('authScopes' in field.pothosOptions)) {
    throw new Error(`${name} declares ${scope}, but nothing checks it: spread operation() into its options.`)
  }
}

SchemaBuilder.registerPlugin(PLUGIN, DeclaredScopePlugin)

export default PLUGIN
