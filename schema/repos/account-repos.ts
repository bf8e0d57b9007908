/** The repos of an account, which need no search. */
import { reposOfAccounts } from '../../src/repos/account-repos.ts'
import type { Repo } from '../../src/repos/repo-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { relatedPages } from '../related-pages.ts'
import { args } from '../root-field.ts'
import { RepoKindEnum, RepoSortEnum, VisibilityEnum } from './enums.ts'
import { RepoType } from './repo.ts'

const AccountRepos = builder.connectionObject(
  {
    type: RepoType,
    name: 'AccountRepoConnection',
    description: 'A page of the repos of an account.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoType], description: 'The repos.', resolve: nodesOf<Repo> }),
    }),
  },
  { name: 'AccountRepoEdge', description: 'A repo and its cursor.' },
)

builder.objectField(Account, 'repos', (t) =>
  t.loadable({
    type: AccountRepos,
    byPath: true,
    description:
      'Its repos that are visible to the caller, newest first; the query `repos` also searches. One statement ' +
      'for any number of accounts.',
    args: args((t) => ({
      ...pageArgs(t),
      kind: t.field({ type: RepoKindEnum, description: 'Only this kind.' }),
      visibility: t.field({ type: VisibilityEnum, description: 'Only public or only private repos.' }),
      sort: t.field({
        type: RepoSortEnum,
        description: 'By creation time (default) or last update; always descending.',
      }),
    })),
    resolve: (account) => account.id,
    load: relatedPages(reposOfAccounts),
  }),
)
