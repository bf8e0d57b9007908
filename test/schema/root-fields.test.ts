// @module-tag own-graph
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  graphql,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { hubBuilder } from '../../schema/builder.ts'
import { schema } from '../../schema/index.ts'

const fieldsOf = (type: GraphQLObjectType | null | undefined) => Object.values(type?.getFields() ?? {})
const mutations: readonly GraphQLField<unknown, unknown>[] = fieldsOf(schema.getMutationType())

const rootFields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
  fieldsOf(root).map((field) => [`${root?.name}.${field.name}`, field] as const),
)

/** A builder as the graph's own, with one root field that is written without the helpers. */
function builderWith(options: object) {
  const builder = hubBuilder()
  builder.queryType({})
  builder.mutationType({})
  builder.subscriptionType({})
  builder.queryField('known', (t) => t.string({ extensions: { scope: 'none' }, resolve: () => 'known' }))
  return { builder, stray: { resolve: () => 'stray', ...options } }
}

describe('a root field cannot forget its guard', () => {
  it('stops the build of a schema with a query without a declared scope', () => {
    const { builder, stray } = builderWith({})
    builder.queryField('stray', (t) => t.string(stray))
    expect(() => builder.toSchema()).toThrow('Query.stray declares no scope')
  })

  it('stops the build of a schema with a mutation without a declared scope', () => {
    const { builder, stray } = builderWith({})
    builder.mutationField('stray', (t) => t.string(stray))
    expect(() => builder.toSchema()).toThrow('Mutation.stray declares no scope')
  })

  it('stops the build of a schema with a subscription without a declared scope', () => {
    const { builder, stray } = builderWith({ subscribe: async function* () {} })
    builder.subscriptionField('stray', (t) => t.string({ subscribe: async function* () {}, ...stray }))
    expect(() => builder.toSchema()).toThrow('Subscription.stray declares no scope')
  })

  it('stops the build of a schema with a field whose scope is declared and never asked', () => {
    const { builder, stray } = builderWith({ extensions: { scope: 'key:write' } })
    builder.queryField('stray', (t) => t.string(stray))
    expect(() => builder.toSchema()).toThrow('Query.stray declares key:write, but nothing checks it')
  })

  it('stops the build of a schema with a scope that does not exist', () => {
    const { builder, stray } = builderWith({ extensions: { scope: 'key:admin' } })
    builder.queryField('stray', (t) => t.string(stray))
    expect(() => builder.toSchema()).toThrow('Query.stray declares no scope')
  })

  it('shows the scope of each root field of the graph', () => {
    expect(rootFields.length).toBeGreaterThan(30)
    const unguarded = rootFields.filter(([, { extensions }]) => typeof extensions.scope !== 'string')
    expect(unguarded.map(([name]) => name)).toEqual([])
  })
})

describe('an entity of Prisma', () => {
  it('is an error where a resolver reads it without what was selected', async () => {
    const builder = hubBuilder()
    const Account = builder.prismaObject('Account', {
      select: { id: true },
      fields: (t) => ({ handle: t.exposeString('handle') }),
    })
    builder.queryType({})
    const row = { id: 'user_1', handle: 'ada' }
    const read = (resolve: (query: object) => typeof row) => ({
      type: Account,
      extensions: { scope: 'none' },
      // The rows of the test have what it selects; their type is that of a whole row.
      resolve: async (query: object) => resolve(query) as never,
    })
    builder.queryField('wholly', (t) => t.prismaField(read(() => row)))
    builder.queryField('asSelected', (t) => t.prismaField(read((query) => ({ ...query, ...row }))))
    const ask = (source: string) => graphql({ schema: builder.toSchema(), source, contextValue: {} })
    expect((await ask('{ wholly { handle } }')).errors?.[0]?.message).toContain('unused in resolver for Query.wholly')
    expect((await ask('{ asSelected { handle } }')).data).toEqual({ asSelected: { handle: 'ada' } })
  })
})

it('every root field is nullable, so that one that fails leaves its siblings', () => {
  expect(rootFields.filter(([, { type }]) => isNonNullType(type)).map(([name]) => name)).toEqual([])
})

describe('a mutation', () => {
  it('takes one argument, `input`, of a type by its own name', () => {
    for (const { name, args } of mutations) {
      expect(
        args.map((argument) => argument.name),
        name,
      ).toEqual(['input'])
      const [input] = args
      expect(isNonNullType(input?.type), name).toBe(true)
      expect(input && getNamedType(input.type).name).toBe(`${name[0]?.toUpperCase()}${name.slice(1)}Input`)
    }
  })

  it('says what its input is in words of its own, at the argument as at the type', () => {
    for (const { name, args } of mutations) {
      expect(args[0]?.description, name).toBe(args[0] && getNamedType(args[0].type).description)
    }
    const texts = mutations.map(({ args }) => args[0]?.description)
    expect(texts.filter((text, place) => texts.indexOf(text) !== place)).toEqual([])
  })

  it('answers an object of its own, which has room for more than it says now', () => {
    const uses = new Map<string, number>()
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) && !isInterfaceType(type)) continue
      for (const field of Object.values(type.getFields()))
        uses.set(getNamedType(field.type).name, (uses.get(getNamedType(field.type).name) ?? 0) + 1)
    }
    for (const { name, type } of mutations) {
      const answer = getNamedType(type)
      expect(isObjectType(getNullableType(type)), name).toBe(true)
      expect([name, uses.get(answer.name)]).toEqual([name, 1])
      expect(isObjectType(answer) && answer.getInterfaces().map(({ name: its }) => its), name).toEqual([])
    }
  })

  it('that may cost money answers a union, which can tell what came of the request in place of it', () => {
    const payload = schema.getType('CreateRunPayload')
    const { result, warnings } = isObjectType(payload) ? payload.getFields() : {}
    expect(result && isUnionType(getNamedType(result.type))).toBe(true)
    expect(String(warnings?.type)).toBe('[String!]!')
  })
})
