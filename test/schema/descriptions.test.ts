import {
  type GraphQLArgument,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedDirective,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'

/** Every thing of the graph that a reader of GraphiQL can point at, with its description. Introspection describes itself. */
function* described(): Generator<readonly [name: string, description: string | null | undefined]> {
  const args = function* (owner: string, list: readonly GraphQLArgument[]) {
    for (const argument of list) yield [`${owner}(${argument.name})`, argument.description] as const
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    yield [type.name, type.description]
    if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description]
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const name = `${type.name}.${field.name}`
      yield [name, field.description]
      if ('args' in field) yield* args(name, field.args)
    }
  }
  for (const directive of schema.getDirectives()) {
    if (isSpecifiedDirective(directive)) continue
    yield [`@${directive.name}`, directive.description]
    yield* args(`@${directive.name}`, directive.args)
  }
}

describe('the graph documents itself', () => {
  it('says what each type, field, argument, input member and enum value is', () => {
    const all = [...described()]
    expect(all.length).toBeGreaterThan(300)
    expect(all.filter(([, description]) => !description?.trim()).map(([name]) => name)).toEqual([])
  })
})
