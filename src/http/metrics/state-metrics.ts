/** The gauges of `state-gauges.ts`, read from the database when they are asked for. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Deps } from '../../operation/context.ts'
import { CachedReading } from './cached-reading.ts'
import { type StateReading, type StateValue, stateReadings } from './state-gauges.ts'

/**
 * Brings the gauges up to date. Without an answer of the database they have no values: an old one would pass for the
 * present.
 */
export type RefreshState = () => Promise<void>

/** Registers the gauges. Their values are the same on every instance: aggregate with `max`. */
export function registerStateMetrics(register: Registry, deps: Pick<Deps, 'db' | 'log'>): RefreshState {
  const failures = new Counter({
    name: 'hub_state_read_failures_total',
    help: 'Scrapes for which the database did not give the values of the deployment, which are then missing.',
    registers: [register],
  })
  const failed = (error: unknown) => {
    failures.inc()
    deps.log.warn({ err: error }, 'the database did not answer for /metrics')
  }
  const parts = stateReadings.map((reading) => statePart(register, deps, reading, failed))
  return async () => {
    await Promise.all(parts.map((refresh) => refresh()))
  }
}

function statePart(
  register: Registry,
  { db }: Pick<Deps, 'db'>,
  { gauges, statement, freshMs }: StateReading,
  failed: (error: unknown) => void,
): RefreshState {
  const made = new Map(
    gauges.map(({ name, help, labels }) => {
      const gauge = new Gauge({ name, help, labelNames: labels, registers: [register] })
      return [name, { gauge, labels }] as const
    }),
  )
  const cached = new CachedReading({ freshMs, read: () => db.query<StateValue>(statement), failed })
  return async () => {
    const values = await cached.value()
    for (const { gauge } of made.values()) gauge.reset()
    // An unlabelled gauge that is reset is 0, which would be a claim.
    for (const { gauge, labels } of made.values()) if (labels.length === 0) gauge.remove()
    for (const { metric, labels, value } of values ?? []) {
      const known = made.get(metric)
      known?.gauge.set(Object.fromEntries(known.labels.map((name, at) => [name, labels[at] ?? ''])), value)
    }
  }
}
