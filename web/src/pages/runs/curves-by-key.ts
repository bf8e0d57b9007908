/** The curves of an answer, by their key and run. */
import { machineLast } from '@hub/formats/metric-order'
import type { Curve } from './curve.ts'
import type { RunMetricsQuery } from './metrics.graphql.ts'

type Metrics = Extract<NonNullable<NonNullable<RunMetricsQuery['nodes']>[number]>, { readonly metrics: unknown }>

/** By the key, then by the id of the run. */
export type CurvesByKey = ReadonlyMap<string, ReadonlyMap<string, Curve>>

const metricsOf = (data: RunMetricsQuery | undefined): readonly Metrics[] =>
  (data?.nodes ?? []).filter((node): node is Metrics => node !== null && 'metrics' in node)

export function byKey(data: RunMetricsQuery | undefined): Map<string, Map<string, Curve>> {
  const found = new Map<string, Map<string, Curve>>()
  for (const { id, metrics } of metricsOf(data))
    for (const curve of metrics.series) {
      const runs = found.get(curve.key) ?? new Map<string, Curve>()
      runs.set(id, curve)
      found.set(curve.key, runs)
    }
  return found
}

/** The metrics of all runs, in the order of their charts: those of the machine, which it reports first, come last. */
export function keysOf(data: RunMetricsQuery | undefined): string[] {
  const keys = new Set(metricsOf(data).flatMap(({ metrics }) => metrics.keys))
  return machineLast([...keys].map((key) => ({ key }))).map(({ key }) => key)
}
