/**
 * Adds what writes of runs and repos noted to the kept counts. A reader adds both meanwhile, so this job changes no
 * answer, only how many rows a reader adds.
 */
import type { Deps } from '../operation/context.ts'
import { foldRepoFacets } from '../repos/facets-sql.ts'
import { foldRunFacets } from '../runs/read/facets-sql.ts'
import { DROPPED_ROWS, dropStatement, inBatches, turnOf } from './batches.ts'

/** Changes of one transaction: 0.1 s. */
const BATCH = 5000

const folds = [
  {
    fold: foldRepoFacets(BATCH),
    drop: dropStatement({ table: 'repo_facets', which: 'empty', where: 'n = 0', order: 'owner_id' }),
  },
  {
    fold: foldRunFacets(BATCH),
    drop: dropStatement({ table: 'run_facets', which: 'empty', where: 'n = 0', order: 'owner_id' }),
  },
]

/** Folds all changes, a batch at a time; what a process that dies had taken is there again. */
export async function foldFacets({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  for (const { fold, drop } of folds) {
    const turn = turnOf(signal)
    await inBatches(turn, BATCH, async () => (await db.query(fold, {}))[0]?.taken ?? 0)
    await inBatches(turn, DROPPED_ROWS, async () => (await db.query(drop))[0]?.rows ?? 0)
  }
}
