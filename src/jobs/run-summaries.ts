/**
 * Counts the metrics of runs whose summaries are behind: those of a hub from before summaries. `runs.summary_pending` is
 * the list of them, so a process that dies leaves it as it is.
 */
import type { Deps } from '../operation/context.ts'
import { countSomeLines } from '../runs/summary/keep-summaries.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

const BATCH = 100

const idColumn = columns({ id: column.text('id') })

const pending = statement({
  name: 'runs-summary-pending',
  exact: 'next-batch',
  columns: idColumn,
  params: { after: param.text() },
  text: `select ${idColumn.sql} from runs where summary_pending and id > :after order by id limit ${BATCH}`,
})

/** Counts what is left of one run, a page of lines at a time, so that its reports wait for no more than that. */
export async function summarizeRun({ db }: Pick<Deps, 'db'>, runId: string, signal: AbortSignal): Promise<void> {
  while (!(await db.withTx((tx) => countSomeLines(tx, runId)))) signal.throwIfAborted()
}

/** Counts what is left of each run on the list, in the order of their ids. */
export async function summarizeRuns(deps: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const runs = await deps.db.query(pending, { after })
    for (const { id } of runs) {
      signal.throwIfAborted()
      await summarizeRun(deps, id, signal)
    }
    const last = runs.at(-1)
    if (!last || runs.length < BATCH) return
    after = last.id
  }
}
