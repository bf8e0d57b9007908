/**
 * A Pothos plugin: validates arguments before a resolver or a subscription runs. Pothos' own validation plugin reports
 * only the faults of a nested input, not those around it; this one reports all faults of a request at once.
 */

import { textFault } from '@hub/formats/text-rules'
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import type { GraphQLArgument, GraphQLFieldResolver } from 'graphql'
import type { ErrorItem } from '../src/platform/errors.ts'
import { inTurns, type Sliced } from '../src/platform/slices.ts'
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
    if (declared.every((arg) => isPlain(arg, (args as Readonly<Record<string, unknown>>)[arg.name])))
      return resolve(parent, args, ctx, info)
    const resolved = (faults: readonly ErrorItem[]) => {
      const refusal = brokenRules(faults)
      if (refusal) throw refusal
      return resolve(parent, args, ctx, info)
    }
    const work = faultsOfArguments(declared, args as Readonly<Record<string, unknown>>)
    const first = work.next()
    // Only what has long lists waits for turns.
    return first.done ? resolved(first.value) : inTurns(work).then(resolved)
  }

/** What has no fault at a glance: most reads have an id and a page size. */
function isPlain({ extensions }: GraphQLArgument, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true
  if (extensions.rule !== undefined) return false
  return typeof value === 'string' ? textFault(value) === null : Number.isInteger(value)
}

function* faultsOfArguments(
  declared: readonly GraphQLArgument[],
  given: Readonly<Record<string, unknown>>,
): Sliced<ErrorItem[]> {
  const faults: ErrorItem[] = []
  for (const arg of declared) faults.push(...(yield* ruleFaultsOfRead(arg, given[arg.name], [arg.name])))
  return faults
}

SchemaBuilder.registerPlugin(PLUGIN, InputRulesPlugin)

export default PLUGIN
