/** States of a repo: what its files were at a change, at a time, for a run or under a name. */
import { DEFAULT_TREE_LIMIT, MAX_TREE_LIMIT } from '../../src/files/limits.ts'
import { treePrefix } from '../../src/files/schemas.ts'
import { stateText } from '../../src/files/versions/state-name.ts'
import { type RepoState, statesOfRepos } from '../../src/files/versions/states.ts'
import { filesOfStates } from '../../src/files/versions/tree-at.ts'
import { builder } from '../builder.ts'
import { Connection, forwardArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { AT_TEXT, RepoFileConnection } from './file.ts'
import { MESSAGE_TEXT } from './message-input.ts'

const StateSummary = builder.objectRef<RepoState['fileSummary']>('RepoStateSummary').implement({
  description: 'File count and total size of a state; stored with the change, never computed on read.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Files.' }),
    totalBytes: t.expose('totalBytes', { type: 'SafeInt', description: 'Total size in bytes.' }),
  }),
})

export const RepoStateType = builder.objectRef<RepoState>('RepoState').implement({
  description:
    'What the files of a repo were after one of its changes. A state is whole, or it is not there: a replaced ' +
    'one is kept for a grace period, and beyond it while a snapshot names it or a run pinned it.',
  fields: (t) => ({
    seq: t.exposeInt('seq', { description: 'Number of the change that led to the state; 0 is the empty repo.' }),
    commitId: t.exposeString('commitId', {
      nullable: true,
      description: 'Names the state for good: 40 hex digits, random; null if no record of the change is left.',
    }),
    message: t.exposeString('message', { nullable: true, description: MESSAGE_TEXT }),
    time: t.expose('time', {
      type: 'DateTime',
      nullable: true,
      description: 'When that change was made; null if no record of it is left.',
    }),
    replacedAt: t.expose('replacedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next change replaced the state; null for the current one.',
    }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether no change came after it.' }),
    fileSummary: t.expose('fileSummary', { type: StateSummary, description: 'Count and size of its files.' }),
    withdrawnCount: t.exposeInt('withdrawnCount', {
      description: 'Files that were taken out of the state afterwards: purged by a person, or rejected by the hub.',
    }),
  }),
})

builder.objectField(RepoStateType, 'files', (t) =>
  t.loadable({
    type: RepoFileConnection,
    page: DEFAULT_TREE_LIMIT,
    byPath: true,
    description: `Its files, in byte order of path, ${DEFAULT_TREE_LIMIT} a page unless \`first\` says otherwise (at most ${MAX_TREE_LIMIT}). One statement for any number of states.`,
    args: {
      prefix: t.arg.string({ ...rule(treePrefix), description: 'Only paths that start with this prefix.' }),
      first: t.arg.int({ description: `Page size: 1 to ${MAX_TREE_LIMIT}.` }),
      after: t.arg.string({ description: '`endCursor` of the previous page.' }),
    },
    resolve: (state) => state,
    load: async (states: RepoState[], ctx, args) => {
      const { first, after } = forwardArgs(args, MAX_TREE_LIMIT)
      const query = { states, prefix: args.prefix ?? '', limit: first ?? DEFAULT_TREE_LIMIT, after }
      const pages = await filesOfStates(ctx, query)
      return pages.map((page) => (page instanceof Error ? page : new Connection(page, after !== null)))
    },
  }),
)

builder.objectField(RepoType, 'at', (t) =>
  t.loadable({
    type: RepoStateType,
    byPath: true,
    description:
      'A state of the repo; an error if it has no such state any more. One statement for any number of repos.',
    args: { state: t.arg.string({ required: true, ...rule(stateText), description: AT_TEXT }) },
    resolve: (repo) => repo.id,
    load: (repoIds: string[], ctx, { state }) => statesOfRepos(ctx, repoIds, state, ['state']),
  }),
)
