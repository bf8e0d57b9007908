/** The summaries of runs that the caller sees, for a page of them at once. */
import type { RequestContext } from '../../operation/context.ts'
import type { MetricSummary } from './fold-lines.ts'
import { readSummaries } from './summary-rows.ts'

/** For each run in the order of `runIds`: its summaries of `keys`, or all. One statement, none for an empty list of keys. */
export async function summariesOfRuns(
  { deps }: RequestContext,
  runIds: readonly string[],
  keys: readonly string[] | null,
): Promise<MetricSummary[][]> {
  if (keys?.length === 0) return runIds.map(() => [])
  const byRun = Map.groupBy(await readSummaries(deps.db, runIds, keys), ({ runId }) => runId)
  return runIds.map((id) => byRun.get(id) ?? [])
}
