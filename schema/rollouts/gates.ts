/** Gates of a model over the results of its rollouts. Contract, "Results of rollouts". */
import { fullNameText, sha256Text } from '@hub/formats/text-rules'
import { z } from 'zod'
import { gatesOfRepos, putRolloutGate, type RolloutGate } from '../../src/rollouts/gates.ts'
import { MAX_GATES, MAX_SEEDS } from '../../src/rollouts/limits.ts'
import { builder } from '../builder.ts'
import { repoName, rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'

const RolloutGateType = builder.objectRef<RolloutGate>('RolloutGate').implement({
  description: 'What the results of a model must reach before an endpoint serves it.',
  fields: (t) => ({
    robot: t.exposeString('robot', {
      description: 'Full name of the robot repo; where that is deleted or hidden, the name that the gate was set with.',
    }),
    isRobotVisible: t.exposeBoolean('isRobotVisible', {
      description: 'Whether the robot is there and the caller sees it. No result meets a gate on a deleted robot.',
    }),
    fingerprint: t.exposeString('fingerprint', { description: 'Of the conditions.' }),
    task: t.exposeString('task', { description: 'Name of their task.' }),
    least: t.exposeFloat('least', { description: 'The minimum for the lower end of the success interval.' }),
    seeds: t.exposeInt('seeds', { description: 'The minimum number of seeds of all results together.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was set as it is.' }),
  }),
})

builder.objectField(RepoType, 'rolloutGates', (t) =>
  t.loadableList({
    type: RolloutGateType,
    most: MAX_GATES,
    description:
      'The gates of a model, by robot and task; none of other repos. The owner of the model and its members are told ' +
      'all, others those on robots that they see. One statement for any number of repos.',
    resolve: (repo) => repo.id,
    load: (ids: string[], ctx) => gatesOfRepos(ctx, ids),
  }),
)

const ChangedGates = builder.objectRef<readonly RolloutGate[]>('RolloutGates').implement({
  description: 'The gates of a model after a change.',
  fields: (t) => ({
    gates: t.field({
      type: [RolloutGateType],
      most: MAX_GATES,
      description: 'By robot and task.',
      resolve: (gates) => gates,
    }),
  }),
})

mutation('putRolloutGate', {
  type: ChangedGates,
  description:
    'Sets, changes or removes a gate of a model: an endpoint serves its files only once the results of their ' +
    'rollouts on the robot, under the conditions and with at least so many seeds, have an interval of success that ' +
    'begins at `least` or higher. Each seed that was tried counts once; what agents publish does not. 403 for every ' +
    'agent key.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The model, the robot, the conditions and what is needed.', (t) => ({
    ...repoName(t),
    robot: t.string({
      required: true,
      ...rule(fullNameText),
      description: 'Full name of the robot repo; of a gate that is removed, as the list of gates has it.',
    }),
    fingerprint: t.string({
      required: true,
      ...rule(sha256Text),
      description: 'Of the conditions, as a result on the robot has it.',
    }),
    least: t.float({
      ...rule(z.number().gt(0).max(1)),
      description: 'The minimum for the lower end of the success interval, above 0 and up to 1; null removes the gate.',
    }),
    seeds: t.int({
      required: true,
      ...rule(z.number().int().min(1).max(MAX_SEEDS)),
      description: 'The minimum number of seeds, 1 to 1000.',
    }),
  })),
  verb: (ctx, { least = null, ...given }) => putRolloutGate(ctx, { ...given, least }),
})
