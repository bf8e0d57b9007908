/** Runs as repo referrers: datasets and robot of the recipe, and the output model repo. */
import type { RepoReferrer } from '../../repos/referrers.ts'
import { param, statement } from '../../store/statement.ts'

declare module '../../repos/referrers.ts' {
  interface RepoReferrers {
    readonly run: RepoReferrer
  }
}

/** The recipes of the runs still name the repo, as text. */
const unpin = statement({
  name: 'run-datasets-unpin',
  params: { repoId: param.text() },
  text: 'update run_datasets set repo_id = null, seq = null where repo_id = :repoId',
})

/** A deleted repo is no longer pinned by other accounts' runs. */
export const runReferrer: RepoReferrer = {
  singular: 'a run',
  plural: 'Runs',
  remedy: 'Delete the runs first.',
  forgetRepo: async (tx, repoId) => {
    await tx.query(unpin, { repoId })
  },
}
