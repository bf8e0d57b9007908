/** Seeds that tell two results apart. Contract, "Results of rollouts". */
import type { Difference } from '../../src/rollouts/differences.ts'
import { builder } from '../builder.ts'
import { nodesOf } from '../connection.ts'

const RolloutDifferenceType = builder.objectRef<Difference>('RolloutDifference').implement({
  description: 'A seed with which one of two results succeeds and the other does not.',
  fields: (t) => ({
    seed: t.exposeInt('seed', { description: 'The seed.' }),
    success: t.exposeBoolean('success', { description: 'Whether this result succeeds: the other does not, or does.' }),
    return: t.exposeFloat('return', { description: 'The return of this result.' }),
    otherReturn: t.exposeFloat('otherReturn', { description: 'The return of the other one.' }),
  }),
})

export const RolloutDifferences = builder.connectionObject(
  {
    type: RolloutDifferenceType,
    name: 'RolloutDifferenceConnection',
    description: 'A page of differences, by seed.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [RolloutDifferenceType],
        description: 'The differences.',
        resolve: nodesOf<Difference>,
      }),
    }),
  },
  { name: 'RolloutDifferenceEdge', description: 'A difference and its cursor.' },
)
