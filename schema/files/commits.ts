/** The commits of a repo: the states that a caller is listed. Contract, "Versions". */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { commitsOfRepos, type RepoCommit } from '../../src/files/versions/commits.ts'
import type { Repo } from '../../src/repos/repo-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { RepoType } from '../repos/repo.ts'
import { AUTHOR_TEXT, MESSAGE_TEXT } from './message-input.ts'

export const RepoCommitType = builder.objectRef<RepoCommit>('RepoCommit').implement({
  description: 'A state of a repo by its commit id. The empty repo is the first one.',
  fields: (t) => ({
    commitId: t.exposeString('commitId', { description: 'Names the state in `at`: 40 hex digits.' }),
    seq: t.exposeInt('seq', { description: 'Number of the change that led to the state; 0 is the empty repo.' }),
    message: t.exposeString('message', { nullable: true, description: MESSAGE_TEXT }),
    time: t.expose('time', { type: 'DateTime', description: 'When the change was made, or the repo created.' }),
    author: t.expose('author', {
      type: Account,
      nullable: true,
      description: AUTHOR_TEXT,
    }),
    snapshots: t.exposeStringList('snapshots', {
      most: 20,
      description: 'Names of snapshots of the state, which keep it.',
    }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether no change came after it.' }),
  }),
})

const RepoCommits = builder.connectionObject(
  {
    type: RepoCommitType,
    name: 'RepoCommitConnection',
    description: 'A page of commits, newest first.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoCommitType], description: 'The commits.', resolve: nodesOf<RepoCommit> }),
    }),
  },
  { name: 'RepoCommitEdge', description: 'A commit and its cursor.' },
)

builder.objectField(RepoType, 'commits', (t) =>
  t.loadable({
    type: RepoCommits,
    byPath: true,
    description:
      'Its commits, newest first. Those who can write the repo get all that are left; others the current one and ' +
      'those that snapshots name. One statement for any number of repos.',
    args: {
      byRun: t.arg.boolean({
        description: 'Only the last version of each run that you see, among the 1,000 newest runs of the repo.',
      }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo,
    load: async (repos: Repo[], ctx, { byRun, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const asked = { byRun: byRun ?? false, limit: first ?? DEFAULT_PAGE_SIZE, after }
      const pages = await commitsOfRepos(ctx, repos, asked)
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
)
