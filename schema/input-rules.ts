/**
 * A Pothos plugin: validates arguments before a resolver or a subscription runs. Pothos' own validation plugin reports
 * only the faults of a nested input, not those around it; this one reports all faults of a request at once.
 */
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import { brokenRules, ruleFaultsOfRead } from './rule-faults.ts'

const PLUGIN = 'inputRules' as const

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      inputRules: InputRulesPlugin<Types>
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

class InputRulesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    // The arguments of a subscription are checked when it starts, not again for each event.
    return field.kind === 'Subscription' || Object.keys(field.args).length === 0 ? resolve : withRules(resolve)
  }

  override wrapSubscribe(subscribe: Resolver<Types> | undefined): Resolver<Types> | undefined {
    return subscribe && withRules(subscribe)
  }
}

const withRules =
  <Types extends SchemaTypes>(resolve: Resolver<Types>): Resolver<Types> =>
  (parent, args, ctx, info) => {
    const declared = info.parentType.getFields()[info.fieldName]?.args ?? []
    const given = args as Readonly<Record<string, unknown>>
    const refusal = brokenRules(declared.flatMap((arg) => ruleFaultsOfRead(arg, given[arg.name], [arg.name])))
    if (refusal) throw refusal
    return resolve(parent, args, ctx, info)
  }

SchemaBuilder.registerPlugin(PLUGIN, InputRulesPlugin)

export default PLUGIN
