import { isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'

/** The type of a field as the graph writes it. */
const typeOf = (name: string) => {
  const [owner = '', field = ''] = name.split('.')
  const type = schema.getType(owner)
  return isObjectType(type) ? String(type.getFields()[field]?.type) : null
}

it.each([
  ['Run.spend', 'RunSpend!'],
  ['Recipe.template', 'String!'],
  ['CheckpointGateSpec.everySteps', 'SafeInt!'],
  ['CheckpointGateSpec.battery', 'String!'],
  ['CheckpointGateSpec.seeds', 'Int!'],
  ['CheckpointGateSpec.delay', 'Int!'],
  ['GateTripwire.metric', 'String!'],
  ['GateTripwire.threshold', 'Float!'],
  ['GateTripwire.fromStep', 'SafeInt!'],
])('%s is always set, so that it is %s', (name, type) => expect(typeOf(name)).toBe(type))
