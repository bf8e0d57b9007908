/** The graph only grows: what clients of the last release use continues working, and what is on its way out says so. */
import { readFileSync } from 'node:fs'
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, it } from 'vitest'

const read = (name: string) => buildSchema(readFileSync(new URL(`../../schema/${name}`, import.meta.url), 'utf8'))
const [released, now] = [read('released.graphql'), read('schema.graphql')]

const broken = (from: GraphQLSchema, to: GraphQLSchema) =>
  findBreakingChanges(from, to).map(({ description }) => description)

describe('the graph since its last release', () => {
  it('breaks no client', () => expect(broken(released, now)).toEqual([]))

  it('would show what breaks one', () => {
    const before = buildSchema('type Query { a(b: Int): Int! c: Int }')
    const after = buildSchema('type Query { a(b: Int!): Int }')
    expect(broken(before, after).sort()).toEqual([
      'Query.a arg b has changed type from Int to Int!.',
      'Query.a changed type from Int! to Int.',
      'Query.c was removed.',
    ])
  })
})

/** What can be deprecated, with the reason if it is. */
function* deprecable(schema: GraphQLSchema): Generator<readonly [name: string, reason: string | null | undefined]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type)) continue
    if (isEnumType(type))
      for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.deprecationReason]
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field.deprecationReason]
      if ('args' in field)
        for (const { name, deprecationReason } of field.args)
          yield [`${type.name}.${field.name}(${name})`, deprecationReason]
    }
  }
}

/** What is deprecated without saying what to use, since when, and until when it stays. */
const unsaid = (schema: GraphQLSchema): string[] =>
  [...deprecable(schema)]
    .filter(([, reason]) => reason != null)
    .filter(
      ([, reason]) => !/[Uu]se `.+ Deprecated on 20\d\d-\d\d-\d\d; leaves with version \d+\.\d+\.$/.test(reason ?? ''),
    )
    .map(([name]) => name)

describe('what is deprecated', () => {
  it('says what to use, since when, and until when it stays', () => expect(unsaid(now)).toEqual([]))

  it('would be found where it does not', () => {
    const said = '@deprecated(reason: "Use `a`. Deprecated on 2026-11-22; leaves with version 1.0.")'
    const schema = buildSchema(`
      type Query { a(b: Int ${said}, c: Int @deprecated(reason: "Not any more.")): Int d: Int ${said} e: Int @deprecated f: Kind g: Named }
      enum Kind { OLD @deprecated(reason: "Use \`NEW\`.") NEW }
      input Given { h: Int @deprecated(reason: "Use \`i\`. Deprecated on 2026-11-22.") i: Int }
      interface Named { j: Int @deprecated(reason: "Deprecated on 2026-11-22; leaves with version 1.0.") }
    `)
    expect(unsaid(schema).sort()).toEqual(['Given.h', 'Kind.OLD', 'Named.j', 'Query.a(c)', 'Query.e'])
  })
})

it('each scalar of the hub names the document that specifies it', () => {
  const own = Object.values(now.getTypeMap()).filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
  expect(own.map(({ name }) => name).sort()).toEqual(['DateTime', 'JSON', 'SafeInt'])
  for (const type of own)
    expect(isScalarType(type) && type.specifiedByURL).toMatch(/^https:\/\/datatracker\.ietf\.org\//)
})
