/** Results of rollouts of a model, and the boards of a robot. Contract, "Results of rollouts". */
import { DEFAULT_PAGE_SIZE, fullNameText, searchText, sha256Text } from '@hub/formats/text-rules'
import { stateText } from '../../src/files/versions/state-name.ts'
import { type Board, boardsOfRepos, entriesOfBoard } from '../../src/rollouts/boards.ts'
import { rolloutsById, rolloutsOfRepos, rolloutsOfVersion } from '../../src/rollouts/list-rollouts.ts'
import type { Rollout } from '../../src/rollouts/rollout-rows.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { RolloutType } from './rollout.ts'

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
      'any number of repos, three with `version`: 413 where the policies of all of them are over 20,000 files.',
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
        description:
          'Only those with this text in the name of their task, in any case. A page looks at a bounded number of ' +
          'boards, so one before the last may be short, even empty.',
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
