/**
 * A Pothos plugin: checks the scope of a root field before it is resolved. Building the schema fails for a root field
 * without a declared scope, or with a scope that is never checked.
 */
import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import type { RequestContext } from '../src/operation/context.ts'
import { hasScope, isOperationScope, type OperationNeed, refuseScope } from './operation-scope.ts'

const PLUGIN = 'declaredScope' as const

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      declaredScope: DeclaredScopePlugin<Types>
    }

    interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** Of a root field: what it needs of its caller. */
      readonly need?: OperationNeed
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

class DeclaredScopePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (field.kind === 'Query' || field.kind === 'Mutation' || field.kind === 'Subscription') assertDeclared(field)
    return field
  }

  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const { need } = field.pothosOptions as { readonly need?: OperationNeed }
    return need ? guarded(resolve, need) : resolve
  }
}

/**
 * Where the caller has the scope nothing waits and nothing is made: the check is in every read of `/v1`. What a resolver
 * throws is a rejection, as that of a resolver which waits: errors come in the same order whichever it does.
 */
const guarded =
  <Types extends SchemaTypes>(resolve: Resolver<Types>, need: OperationNeed): Resolver<Types> =>
  (parent, args, ctx, info) => {
    if (!hasScope(ctx as RequestContext, need)) return refuseScope(ctx as RequestContext, need, args)
    try {
      return resolve(parent, args, ctx, info)
    } catch (error) {
      return Promise.reject(error)
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
  if (scope !== 'none' && !('need' in field.pothosOptions)) {
    throw new Error(`${name} declares ${scope}, but nothing checks it: spread operation() into its options.`)
  }
}

SchemaBuilder.registerPlugin(PLUGIN, DeclaredScopePlugin)

export default PLUGIN
