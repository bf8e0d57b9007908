/** The curves of runs: all of each, and in full the part that is in view. */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { CombinedError } from 'urql'
import { readings } from '../../app/client.ts'
import type { Answer } from '../../ui/root-field.ts'
import { useReading } from '../../ui/use-reading.ts'
import { type Curve, isCounter, type Range, spliced, stepsOf } from './curve.ts'
import { byKey, type CurvesByKey, keysOf } from './curves-by-key.ts'
import { type RunMetricsQuery, runMetricsQuery } from './metrics.graphql.ts'
import { MAX_MORE, useAsked, useMoreCurves, useReadAgain } from './more-curves.ts'

/**
 * A run may report many times a second. A reading of a long run takes the hub a second, so it is repeated ten times as
 * rarely.
 */
const REFRESH_MS = 2_000
const REST = 10

export function useCurves(options: {
  readonly ids: readonly string[]
  /** Changes with the newest metrics of a run that is in progress. */
  readonly tick: string
  readonly range: Range | null
  readonly isTime: boolean
  /** Keys that may have a chart. */
  readonly isShown: (key: string) => boolean
  /** Charts that are shown: curves that the first answer has no room for are asked for by name until there are more. */
  readonly most: number
}) {
  const { tick, range, isTime, isShown, most } = options
  const list = options.ids.join()
  const ids = useMemo(() => list.split(','), [list])
  const [{ kept: data, error, fetching }, again] = useReading({ query: runMetricsQuery, variables: { ids } })
  useRefresh(tick, fetching, again)
  const keys = useMemo(() => keysOf(data), [data])
  const first = useMemo(() => byKey(data), [data])

  const more = useMoreCurves(list)
  useReadAgain(more, data)
  const coarse = useMemo(() => new Map([...more.curves, ...first]), [first, more.curves])
  const charted = [...coarse].filter(([key, runs]) => isShown(key) && hasChart(runs)).length
  const missing = keys.filter((key) => !coarse.has(key) && isShown(key))
  useAsked(more, charted > most ? [] : missing.slice(0, MAX_MORE))

  const steps = useMemo(() => {
    const curves = [...coarse.values()].flatMap((runs) => [...runs.values()])
    return range && stepsOf(curves, isTime ? ({ elapsedS }) => elapsedS : (curve) => curve.steps, range)
  }, [coarse, range, isTime])
  const part = usePart(ids, steps, [...coarse.keys()].filter(isShown).slice(0, MAX_MORE))
  const curves: CurvesByKey = useMemo(() => (part ? withParts(coarse, part) : coarse), [coarse, part])
  const isRefining = steps !== null && part === null
  const tryAgain = () => {
    more.drop()
    again()
  }
  return {
    keys,
    curves,
    error: error ?? more.error ?? part?.error,
    again: tryAgain,
    isLoading: !data && !error,
    isRefining,
    /** Keys without an answer yet. */
    left: missing.length,
  }
}

const hasChart = (runs: ReadonlyMap<string, Curve>) =>
  [...runs.values()].some((curve) => curve.count > 0 && !isCounter(curve))

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

function withParts(coarse: CurvesByKey, { curves: fine, steps }: Part): CurvesByKey {
  return new Map(
    [...coarse].map(([key, runs]) => [
      key,
      new Map([...runs].map(([id, curve]) => [id, spliced(curve, fine.get(key)?.get(id), steps)])),
    ]),
  )
}
