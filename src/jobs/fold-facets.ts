/**
 * Adds what writes of runs and repos noted to the kept counts. A reader adds both meanwhile, so this job changes no
 * answer, only how many rows a reader adds.
 */

import type { Deps } from '../operation/context.ts'
import { foldRepoFacets } from '../repos/facets-sql.ts'
import { foldRunFacets } from '../runs/read/facets-sql.ts'
import { statement } from '../store/statement.ts'

/** Changes of one transaction: 0.1 s. */
const BATCH = 5000

const folds = [
  {
    fold: foldRepoFacets(BATCH),
    drop: statement({ name: 'repo-facets-drop', text: 'delete from repo_facets where n = 0' }),
  },
  {
    fold: foldRunFacets(BATCH),
    drop: statement({ name: 'run-facets-drop', text: 'delete from run_facets where n = 0' }),
  },
]

/** Folds all changes, a batch at a time; what a process that dies had taken is there again. */
export async function foldFacets({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  for (const { fold, drop } of folds) {
    for (let taken = BATCH; taken === BATCH; ) {
      signal.throwIfAborted()
      ;[{ taken } = { taken: 0 }] = await db.query(fold, {})
    }
    await db.query(drop)
  }
}
