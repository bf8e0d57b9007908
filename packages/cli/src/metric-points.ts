/** The points of metrics, as a chart takes them. */

import { type HubClient, LocalError } from '@hub/client/internal'
import { asDouble } from '@hub/formats/exact-json'
import { isOfMachine } from '@hub/formats/metric-order'
import type { ChartPoint } from './braille-chart.ts'

/** Names of the step in a line of metrics, as the hub knows them. */
export const stepKeys = ['iteration', 'step', 'global_step', '_step'] as const

/** Whether a metric is of the machine, or the step itself: not what a run is trained for. */
export const isMinor = (key: string): boolean => isOfMachine(key) || stepKeys.some((name) => name === key)

/** `[step, value]` pairs, which the types of `/v1` leave open. */
export const pointsOf = (points: unknown): ChartPoint[] =>
  Array.isArray(points)
    ? points.flatMap((pair) => {
        const [step, value] = Array.isArray(pair) ? pair.map(asDouble) : []
        return typeof step === 'number' && typeof value === 'number' ? [[step, value] as const] : []
      })
    : []

/** The error of metrics that a run does not have: names those that it has. */
export function noMetric(run: string, missing: readonly string[], there: readonly string[]): LocalError {
  const has = there.length > 0 ? `It has: ${there.join(', ')}.` : 'It has none yet.'
  return new LocalError(`${run} has no metric ${missing.join(', ')}. ${has}`)
}

/** At most `most` points of each key, with the least and the greatest values between. */
export const readMetrics = (client: HubClient, run: string, keys: readonly string[], most: number) =>
  client.v1.getRunMetrics({
    path: { run_id: run },
    query: { max_points: Math.min(5000, Math.max(2, most)), ...(keys.length > 0 && { keys: [...keys] }) },
  })
