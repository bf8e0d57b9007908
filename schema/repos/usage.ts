/** What makes use of a repo: later subjects add a connection for each kind of job. Contract, "Lineage". */
import type { Repo } from '../../src/repos/repo-shape.ts'
import { builder } from '../builder.ts'
import { RepoType } from './repo.ts'

/** A repo, as what its uses are of. */
export const RepoUsageType = builder.objectRef<Pick<Repo, 'id'>>('RepoUsage').implement({
  description:
    'What makes use of a repo and is visible to the caller, by kind of job. What the caller does not see is not ' +
    'on the pages.',
})

builder.objectField(RepoType, 'usedBy', (t) =>
  t.field({ type: RepoUsageType, description: 'Jobs that use the repo.', resolve: ({ id }) => ({ id }) }),
)
