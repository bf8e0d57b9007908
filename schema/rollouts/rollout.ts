/** Results of rollouts: of a model, and the boards of a robot. Contract, "Results of rollouts". */
import { DEFAULT_PAGE_SIZE, fullNameText, searchText, sha256Text } from '@hub/formats/text-rules'
import { personFor } from '../../src/accounts/person-for.ts'
import { stateText } from '../../src/files/versions/state-name.ts'
import { type Board, boardsOfRepos, entriesOfBoard } from '../../src/rollouts/boards.ts'
import { differencesOfRollouts } from '../../src/rollouts/differences.ts'
import { episodesOfRollouts } from '../../src/rollouts/episodes/episode-rows.ts'
import { MAX_KEPT_EPISODES } from '../../src/rollouts/limits.ts'
import {
  conditionsOfRollouts,
  disturbancesOfRollouts,
  outcomesOfRollouts,
  rolloutsById,
  rolloutsOfRepos,
  rolloutsOfVersion,
} from '../../src/rollouts/list-rollouts.ts'
import type { Rollout, RolloutOutcome } from '../../src/rollouts/rollout-rows.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
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
    firstSeed: t.exposeInt('firstSeed', { description: 'The others follow it.' }),
    seeds: t.exposeInt('seeds', { description: 'How many: 1 to 1000.' }),
    successes: t.exposeInt('successes', { description: 'How many of them succeeded.' }),
    lowest: t.exposeFloat('lowest', { description: "Lower end of Wilson's interval of 95 % for the rate of success." }),
    highest: t.exposeFloat('highest', { description: 'Its upper end.' }),
    meanReturn: t.exposeFloat('meanReturn', { description: 'Mean of the returns.' }),
    meanSeconds: t.exposeFloat('meanSeconds', { description: 'Mean of the lengths, in time of the model.' }),
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
  }),
})

const Rollouts = builder.connectionObject(
  {
    type: RolloutType,
    name: 'RolloutConnection',
    description: 'A page of results of rollouts.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RolloutType], description: 'The results.', resolve: nodesOf<Rollout> }),
    }),
  },
  { name: 'RolloutEdge', description: 'A result and its cursor.' },
)

const RolloutBoardType = builder.objectRef<Board>('RolloutBoard').implement({
  description: 'What models of a robot are compared under: a task and its disturbance.',
  fields: (t) => ({
    task: t.exposeString('task', { description: 'Name of the task.' }),
    fingerprint: t.exposeString('fingerprint', { description: 'Of the conditions; names the board.' }),
    results: t.expose('results', {
      type: 'SafeInt',
      description: 'Results of models that the caller sees; 1,000 stands for 1,000 or more, since counting ends there.',
    }),
    latestAt: t.expose('latestAt', { type: 'DateTime', description: 'When the newest of them was published.' }),
  }),
})

const RolloutBoards = builder.connectionObject(
  {
    type: RolloutBoardType,
    name: 'RolloutBoardConnection',
    description: 'A page of boards, by task.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RolloutBoardType], description: 'The boards.', resolve: nodesOf<Board> }),
    }),
  },
  { name: 'RolloutBoardEdge', description: 'A board and its cursor.' },
)

builder.objectFields(RepoType, (t) => ({
  rollouts: t.loadable({
    type: Rollouts,
    byPath: true,
    description:
      'Results of a model on the robots that the caller sees, newest first; none of other repos. One statement for ' +
      'any number of repos, three with `version`.',
    args: {
      robot: t.arg.string({ ...rule(fullNameText), description: 'Full name of a robot: only results on it.' }),
      version: t.arg.string({
        ...rule(stateText),
        description:
          'Only results of the policies that this version has: of the same bytes at the same path, whichever version ' +
          'they were run from.',
      }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo.id,
    load: async (ids: string[], ctx, { robot, version, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const asked = { limit: first ?? DEFAULT_PAGE_SIZE, after, robot: robot ?? null }
      const pages =
        version == null
          ? await rolloutsOfRepos(ctx, ids, { ...asked, policies: null })
          : await rolloutsOfVersion(ctx, ids, version, asked)
      return pages.map((page) => (page instanceof Error ? page : new Connection(page, after !== null)))
    },
  }),
  rollout: t.loadable({
    type: RolloutType,
    byPath: true,
    nullable: true,
    description: 'A result of a model by its id; null if there is none, or its robot is not visible to the caller.',
    args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, { id }) => {
      const [found] = await rolloutsById(ctx, [id])
      return repoIds.map((repoId) => (found?.modelRepoId === repoId ? found : null))
    },
  }),
  rolloutBoards: t.loadable({
    type: RolloutBoards,
    byPath: true,
    description:
      'The boards of a robot: one for each task and disturbance under which models that the caller sees have ' +
      'results. One statement for any number of repos.',
    args: {
      q: t.arg.string({
        ...rule(searchText),
        description: 'Only those with this text in the name of their task, in any case.',
      }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo.id,
    load: async (ids: string[], ctx, { q, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await boardsOfRepos(ctx, ids, { q: q || null, limit: first ?? DEFAULT_PAGE_SIZE, after })
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
  rolloutBoard: t.loadable({
    type: Rollouts,
    byPath: true,
    description:
      'A board of a robot: each policy of the models that the caller sees once, by its newest version that has a ' +
      'result and of those the one with most seeds; the highest lower end of the interval first, ties by name. One ' +
      'statement for any number of repos.',
    args: {
      fingerprint: t.arg.string({ required: true, ...rule(sha256Text), description: 'Of the conditions.' }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo.id,
    load: async (ids: string[], ctx, { fingerprint, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await entriesOfBoard(ctx, ids, { fingerprint, limit: first ?? DEFAULT_PAGE_SIZE, after })
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
}))
