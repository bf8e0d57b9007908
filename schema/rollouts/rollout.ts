/** A result of rollouts. Contract, "Results of rollouts". */
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { personFor } from '../../src/accounts/person-for.ts'
import { differencesOfRollouts } from '../../src/rollouts/differences.ts'
import { episodesOfRollouts } from '../../src/rollouts/episodes/episode-rows.ts'
import { MAX_KEPT_EPISODES } from '../../src/rollouts/limits.ts'
import { conditionsOfRollouts, disturbancesOfRollouts, outcomesOfRollouts } from '../../src/rollouts/list-rollouts.ts'
import type { Rollout, RolloutOutcome } from '../../src/rollouts/rollout-rows.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { RolloutDifferences } from './difference.ts'
import { RolloutEpisodeType, RolloutOutcomeType } from './outcome.ts'

const RolloutOutcomes = builder.connectionObject(
  {
    type: RolloutOutcomeType,
    name: 'RolloutOutcomeConnection',
    description: 'A page of outcomes, by seed.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [RolloutOutcomeType],
        description: 'The outcomes.',
        resolve: nodesOf<RolloutOutcome>,
      }),
    }),
  },
  { name: 'RolloutOutcomeEdge', description: 'An outcome and its cursor.' },
)

export const RolloutType = builder.objectRef<Rollout>('Rollout').implement({
  description:
    'The outcomes of rollouts of one policy on one simulated robot, as their publisher reported them. It never ' +
    'changes.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `roll_`.' }),
    model: t.exposeString('model', { description: 'Full name of the model repo.' }),
    modelCommit: t.exposeString('modelCommit', { description: 'Commit id of its version.' }),
    policyPath: t.exposeString('policyPath', { description: 'The ONNX file.' }),
    policyDigest: t.exposeString('policyDigest', {
      description: 'SHA-256 over the digests of that file and of the `contract.json` and `manifest.json` beside it.',
    }),
    robot: t.exposeString('robot', { description: 'Full name of the robot repo.' }),
    robotCommit: t.exposeString('robotCommit', { description: 'Commit id of its version.' }),
    task: t.exposeString('task', { description: 'Name of the task.' }),
  }),
})

/** What they were run under, which decides with which others they compare. */
builder.objectFields(RolloutType, (t) => ({
  conditions: t.loadable({
    type: 'JSON',
    byPath: true,
    description:
      'The `task` and the `disturbance`, as they were given: up to 64 KiB. One statement for any number of results, ' +
      'which reads 16 MiB: 413 for those beyond.',
    resolve: (rollout) => rollout.id,
    load: (ids: string[], ctx) => conditionsOfRollouts(ctx, ids),
  }),
  disturbance: t.loadable({
    type: 'JSON',
    byPath: true,
    description:
      'The `disturbance` of the conditions, without the task, so that a list says what each was made under. Read ' +
      'as `conditions`.',
    resolve: (rollout) => rollout.id,
    load: (ids: string[], ctx) => disturbancesOfRollouts(ctx, ids),
  }),
  fingerprint: t.exposeString('fingerprint', {
    description: 'SHA-256 of the canonical JSON of `conditions`: results compare where it is equal.',
  }),
  mapFingerprint: t.exposeString('mapFingerprint', {
    nullable: true,
    description: 'Of the map of joints between policy and robot; null where none was used.',
  }),
}))

/** The seeds, and what came of them in sum. */
builder.objectFields(RolloutType, (t) => ({
  firstSeed: t.exposeInt('firstSeed', { description: 'The others follow it.' }),
  seeds: t.exposeInt('seeds', { description: 'How many: 1 to 1000.' }),
  successes: t.exposeInt('successes', { description: 'How many of them succeeded.' }),
  lowest: t.exposeFloat('lowest', { description: "Lower end of Wilson's interval of 95 % for the rate of success." }),
  highest: t.exposeFloat('highest', { description: 'Its upper end.' }),
  meanReturn: t.exposeFloat('meanReturn', { description: 'Mean of the returns.' }),
  meanSeconds: t.exposeFloat('meanSeconds', { description: 'Mean of the lengths, in time of the model.' }),
}))

/** What ran them, and who published it. */
builder.objectFields(RolloutType, (t) => ({
  software: t.field({
    type: 'JSON',
    description: 'Versions of what ran them, by name.',
    resolve: ({ software }) => software.value,
  }),
  drawnBy: t.exposeString('drawnBy', {
    nullable: true,
    description:
      'What drew the pictures that the policy saw, with its versions: machines draw differently, so such a result ' +
      'is not reproducible to the bit. Null for a policy that sees no pictures.',
  }),
  cameras: t.field({
    type: 'JSON',
    nullable: true,
    description:
      'Cameras of the robot that drew pictures in the place of those of their names: names of cameras by the ' +
      'names of pictures. Null where none was chosen.',
    resolve: ({ cameras }) => cameras?.value ?? null,
  }),
  isByAgent: t.exposeBoolean('isByAgent', {
    description: 'Whether only the key of an agent has published it: gates do not count it.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
  creator: t.field({
    type: Account,
    nullable: true,
    description:
      'Who published it; null for keys without a person, and if the caller is neither the owner of the model nor ' +
      'one of its members.',
    resolve: ({ ownerId, creator }, _args, ctx) => personFor(ctx.viewer, ownerId, creator),
  }),
}))

/** What came of each seed. */
builder.objectFields(RolloutType, (t) => ({
  outcomes: t.loadable({
    type: RolloutOutcomes,
    byPath: true,
    description: 'The outcome of each seed. One statement for any number of results.',
    args: {
      failed: t.arg.boolean({ description: 'Only those without success.' }),
      ...pageArgs(t.arg),
    },
    resolve: (rollout) => rollout.id,
    load: async (ids: string[], ctx, { failed, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const asked = { limit: first ?? DEFAULT_PAGE_SIZE, after, failed: failed ?? false }
      const pages = await outcomesOfRollouts(ctx, ids, asked)
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
  episodes: t.loadableList({
    type: RolloutEpisodeType,
    most: MAX_KEPT_EPISODES,
    byPath: true,
    description:
      'The episodes that are kept with it, at most 20, the worst first: without success, then of the smallest ' +
      'return. One statement for any number of results.',
    resolve: (rollout) => rollout.id,
    load: (ids: string[], ctx) => episodesOfRollouts(ctx, ids),
  }),
  differences: t.loadable({
    type: RolloutDifferences,
    byPath: true,
    description:
      'The seeds that it shares with another result of the same conditions on the same robot, and with which only ' +
      'one of the two succeeds: 409 for a result of other conditions. Two statements for any number of results.',
    args: {
      other: t.arg.id({ required: true, description: 'Id of the other result.' }),
      ...pageArgs(t.arg),
    },
    resolve: (rollout) => rollout,
    load: async (rollouts: Rollout[], ctx, { other, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const asked = { otherId: other, limit: first ?? DEFAULT_PAGE_SIZE, after }
      const pages = await differencesOfRollouts(ctx, rollouts, asked)
      return pages.map((page) => (page instanceof Error ? page : new Connection(page, after !== null)))
    },
  }),
}))
