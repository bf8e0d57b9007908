/** Edges between endpoints, repos and accounts. What the caller does not see is null, or not on the page. */

import { endpointsOfAccounts, endpointsOfRepos } from '../../src/endpoints/read/related-endpoints.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { pageArgs } from '../connection.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { relatedPages } from '../related-pages.ts'
import { RepoType } from '../repos/repo.ts'
import { repoById } from '../repos/repo-edge.ts'
import { RepoUsageType } from '../repos/usage.ts'
import { args } from '../root-field.ts'
import { EndpointConnection, EndpointType } from './endpoint.ts'
import { EndpointStatusEnum } from './enums.ts'

builder.objectField(EndpointType, 'model', (t) =>
  t.loadable({
    ...repoById,
    description: 'The model repo as it is now; null if it was deleted or is not visible to the caller.',
    resolve: ({ modelRepo }) => modelRepo.id,
  }),
)

const relatedEndpointArgs = args((t) => ({
  ...pageArgs(t),
  status: t.field({ type: EndpointStatusEnum, description: 'Only endpoints with this status.' }),
  executor: t.field({ type: RunExecutorEnum, description: 'Only endpoints with this executor.' }),
}))

const endpointsOfRepo = {
  type: EndpointConnection,
  byPath: true,
  description:
    'Inference endpoints of the model that are visible to the caller, newest first. Two statements for any ' +
    'number of repos.',
  args: relatedEndpointArgs,
  load: relatedPages(endpointsOfRepos),
} as const

builder.objectField(RepoType, 'endpoints', (t) => t.loadable({ ...endpointsOfRepo, resolve: ({ id }) => id }))
builder.objectField(RepoUsageType, 'endpoints', (t) => t.loadable({ ...endpointsOfRepo, resolve: ({ id }) => id }))

builder.objectField(Account, 'endpoints', (t) =>
  t.loadable({
    type: EndpointConnection,
    byPath: true,
    description:
      'Inference endpoints billed to the account, newest first; none unless the caller is its user or a member. ' +
      'Two statements for any number of accounts.',
    args: relatedEndpointArgs,
    resolve: (account) => account.id,
    load: relatedPages(endpointsOfAccounts),
  }),
)
