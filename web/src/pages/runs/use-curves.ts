/** The curves of runs: all of each, and in full the part that is in view. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { type CombinedError, useQuery } from 'urql'
import { readings } from '../../app/client.ts'
import type { Answer } from '../../ui/root-field.ts'
import { type Curve, type Range, spliced, stepsOf } from './curve.ts'
import { type RunMetricsQuery, runMetricsQuery } from './metrics.graphql.ts'

/**
 * A run may report many times a second. A reading of a long run takes the hub a second, so it is repeated ten times as
 * rarely.
 */
const REFRESH_MS = 2_000
const REST = 10

type Metrics = Extract<NonNullable<NonNullable<RunMetricsQuery['nodes']>[number]>, { readonly metrics: unknown }>

/** By the key, then by the id of the run. */
type CurvesByKey = ReadonlyMap<string, ReadonlyMap<string, Curve>>

export function useCurves(options: {
  readonly ids: readonly string[]
  /** Changes with the newest metrics of a run that is in progress. */
  readonly tick: string
  readonly range: Range | null
  readonly isTime: boolean
  /** Keys that are shown: what the first answer has no room for is asked for by name. */
  readonly isShown: (key: string) => boolean
}) {
  const { tick, range, isTime, isShown } = options
  const list = options.ids.join()
  const ids = useMemo(() => list.split(','), [list])
  const [{ data, error, fetching }, again] = useQuery({ query: runMetricsQuery, variables: { ids } })
  useRefresh(tick, fetching, () => again({ requestPolicy: 'network-only' }))
  const keys = useMemo(() => [...new Set(metricsOf(data).flatMap(({ metrics }) => metrics.keys))], [data])
  const first = useMemo(() => byKey(data), [data])

  const missing = keys.filter((key) => !first.has(key) && isShown(key)).slice(0, MAX_MORE)
  const [{ data: rest, error: restError }] = useQuery({
    query: runMetricsQuery,
    variables: { ids, keys: missing },
    pause: missing.length === 0,
  })
  const coarse = useMemo(() => new Map([...byKey(rest), ...first]), [first, rest])

  const steps = useMemo(() => {
    const curves = [...coarse.values()].flatMap((runs) => [...runs.values()])
    return range && stepsOf(curves, isTime ? ({ elapsedS }) => elapsedS : (curve) => curve.steps, range)
  }, [coarse, range, isTime])
  const part = usePart(ids, steps, [...coarse.keys()].filter(isShown).slice(0, MAX_MORE))
  const curves: CurvesByKey = useMemo(() => (part ? withParts(coarse, part) : coarse), [coarse, part])
  const isRefining = steps !== null && part === null
  return { keys, curves, error: error ?? restError ?? part?.error, again, isLoading: !data && !error, isRefining }
}

/** A zoom is often followed by the next. */
const SETTLE_MS = 200

interface Part {
  readonly curves: CurvesByKey
  readonly error: CombinedError | undefined
  readonly steps: Range
}

/** All points of some steps; null until they are there. What was asked for before is not shown when it comes late. */
function usePart(ids: readonly string[], steps: Range | null, keys: readonly string[]): Part | null {
  const [part, setPart] = useState<Part | null>(null)
  const asked = steps && JSON.stringify({ ids, keys, fromStep: steps[0], toStep: steps[1] })
  useEffect(() => {
    setPart(null)
    if (asked === null) return undefined
    const variables = JSON.parse(asked) as { ids: string[]; keys: string[]; fromStep: number; toStep: number }
    const show = ({ data, error }: Answer<RunMetricsQuery>) =>
      setPart({ curves: byKey(data), error, steps: [variables.fromStep, variables.toStep] })
    let end: () => void = () => {}
    const timer = setTimeout(() => {
      end = readings.query(runMetricsQuery, variables).subscribe(show).unsubscribe
    }, SETTLE_MS)
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [asked])
  return part
}

/** As many as one answer has room for: 100,000 points, 2,000 of each. */
const MAX_MORE = 50

function useRefresh(tick: string, isFetching: boolean, again: () => void): void {
  const last = useRef({ began: 0, tookMs: 0, seen: tick })
  const callback = useRef(again)
  callback.current = again
  useEffect(() => {
    const now = performance.now()
    if (isFetching) last.current.began = now
    else if (last.current.began > 0) last.current.tookMs = now - last.current.began
  }, [isFetching])
  useEffect(() => {
    const { began, tookMs, seen } = last.current
    if (tick === seen || isFetching) return undefined
    const due = began + tookMs + Math.max(REFRESH_MS, REST * tookMs)
    const timer = setTimeout(
      () => {
        last.current.seen = tick
        callback.current()
      },
      Math.max(0, due - performance.now()),
    )
    return () => clearTimeout(timer)
  }, [tick, isFetching])
}

const metricsOf = (data: RunMetricsQuery | undefined): readonly Metrics[] =>
  (data?.nodes ?? []).filter((node): node is Metrics => node !== null && 'metrics' in node)

function byKey(data: RunMetricsQuery | undefined): Map<string, Map<string, Curve>> {
  const found = new Map<string, Map<string, Curve>>()
  for (const { id, metrics } of metricsOf(data))
    for (const curve of metrics.series) {
      const runs = found.get(curve.key) ?? new Map<string, Curve>()
      runs.set(id, curve)
      found.set(curve.key, runs)
    }
  return found
}

function withParts(coarse: CurvesByKey, { curves: fine, steps }: Part): CurvesByKey {
  return new Map(
    [...coarse].map(([key, runs]) => [
      key,
      new Map([...runs].map(([id, curve]) => [id, spliced(curve, fine.get(key)?.get(id), steps)])),
    ]),
  )
}
