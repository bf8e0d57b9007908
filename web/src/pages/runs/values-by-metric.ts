/** The last values of several runs, by metric. Pure. */

interface Summarized {
  readonly id: string
  readonly summary: readonly { readonly key: string; readonly last: number }[]
}

export interface MetricRow {
  readonly key: string
  /** One for each id; null where the run has no such metric. */
  readonly values: readonly (number | null)[]
}

/** A row for each metric that a run has, in the order of names. */
export function valuesByMetric(ids: readonly string[], runs: readonly Summarized[]): readonly MetricRow[] {
  const byRun = new Map(runs.map(({ id, summary }) => [id, new Map(summary.map(({ key, last }) => [key, last]))]))
  const keys = new Set(runs.flatMap(({ summary }) => summary.map(({ key }) => key)))
  return [...keys].sort().map((key) => ({ key, values: ids.map((id) => byRun.get(id)?.get(key) ?? null) }))
}
