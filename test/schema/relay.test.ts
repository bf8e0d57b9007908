/** Every listing keeps to the Relay specifications of cursor connections and of object identification, as far as the schema can say so. */

import { idPrefixes } from '@hub/formats/ids'
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { decodeNodeId } from '../../schema/node-id.ts'

const objects = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
)
const connections = objects.filter(({ name }) => name.endsWith('Connection'))
const typesOf = (type: GraphQLObjectType) =>
  Object.fromEntries(Object.values(type.getFields()).map(({ name, type: its }) => [name, String(its)]))

/** Each field that returns a connection, under the name of what has it. */
const listings: [string, GraphQLField<unknown, unknown>][] = objects.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field): [string, GraphQLField<unknown, unknown>][] =>
    connections.some(({ name }) => name === getNamedType(field.type).name)
      ? [[`${type.name}.${field.name}`, field]]
      : [],
  ),
)

describe('a connection', () => {
  it.each(connections.map((type) => [type.name, type] as const))('%s has edges, nodes and pageInfo', (name, type) => {
    const edge = name.replace(/Connection$/, 'Edge')
    const fields = typesOf(type)
    expect(fields).toMatchObject({ edges: `[${edge}!]!`, pageInfo: 'PageInfo!' })
    const edgeType = schema.getType(edge)
    if (!isObjectType(edgeType)) throw new Error(`${edge} is not an object type.`)
    const { node, cursor } = typesOf(edgeType)
    expect(cursor).toBe('String!')
    expect(fields.nodes).toBe(`[${node}]!`)
  })

  it('is named as one: what has edges ends with `Connection`, what has a cursor and a node with `Edge`', () => {
    expect(connections.length).toBeGreaterThan(15)
    const named = (has: readonly string[], end: string) =>
      objects.filter((type) => has.every((field) => field in type.getFields()) && !type.name.endsWith(end))
    expect(named(['edges', 'pageInfo'], 'Connection')).toEqual([])
    expect(named(['node', 'cursor'], 'Edge')).toEqual([])
  })

  it('is no list, and its edges lead to no list', () => {
    for (const [name, { type }] of listings) expect([name, isListType(getNullableType(type))]).toEqual([name, false])
    for (const type of objects.filter(({ name }) => name.endsWith('Edge')))
      expect([type.name, isListType(getNullableType(type.getFields().node?.type))]).toEqual([type.name, false])
  })
})

describe('a field that returns a connection', () => {
  it.each(listings)('%s pages forward by `first` and `after`', (_name, { args }) => {
    const given = Object.fromEntries(args.map(({ name, type }) => [name, String(type)]))
    expect(given).toMatchObject({ first: 'Int', after: 'String' })
  })

  it('has no arguments for paging backward, which the hub does not do', () => {
    const backward = listings.flatMap(([, { args }]) => args.filter(({ name }) => name === 'last' || name === 'before'))
    expect(backward).toEqual([])
  })
})

describe('PageInfo and Node', () => {
  it('are those of the specifications', () => {
    const [page, node] = [schema.getType('PageInfo'), schema.getType('Node')]
    expect(isObjectType(page) && typesOf(page)).toEqual({
      hasNextPage: 'Boolean!',
      hasPreviousPage: 'Boolean!',
      startCursor: 'String',
      endCursor: 'String',
    })
    expect(isInterfaceType(node) && String(node.getFields().id?.type)).toBe('ID!')
    const { node: one, nodes } = schema.getQueryType()?.getFields() ?? {}
    expect([String(one?.type), one?.args.map(({ name, type }) => `${name}: ${type}`)]).toEqual(['Node', ['id: ID!']])
    expect([String(nodes?.type), nodes?.args.map(({ name, type }) => `${name}: ${type}`)]).toEqual([
      '[Node]',
      ['ids: [ID!]!'],
    ])
  })
})

it('every type that implements Node is found by the prefix of its ids', () => {
  const found = new Set(idPrefixes.map((prefix) => decodeNodeId(`${prefix}_01h455vb4pex5vsknk084sn02q`).typename))
  const nodes = objects.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'))
  expect([...found].sort()).toEqual(nodes.map(({ name }) => name).sort())
})
