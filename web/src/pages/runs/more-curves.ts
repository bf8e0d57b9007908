/** Curves that the first answer had no room for: asked for by name, a few in a request, and kept. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { CombinedError } from 'urql'
import { readings } from '../../app/client.ts'
import type { Curve } from './curve.ts'
import { byKey, type CurvesByKey } from './curves-by-key.ts'
import { type RunMetricsQuery, runMetricsQuery } from './metrics.graphql.ts'

/** As many as one answer has room for: 100,000 points, 2,000 of each. */
export const MAX_MORE = 50

interface Kept {
  /** Of which runs. */
  readonly list: string
  readonly curves: CurvesByKey
  readonly error: CombinedError | undefined
}

interface MoreCurves extends Kept {
  readonly ask: (keys: readonly string[], isLeft: () => boolean) => Promise<void>
  /** Forgets what is kept, and the error. */
  readonly drop: () => void
}

/** `list`: ids of runs with commas between them; other runs begin with nothing. */
export function useMoreCurves(list: string): MoreCurves {
  const [state, setState] = useState<Kept>({ list, curves: new Map(), error: undefined })
  const ask = useCallback(
    async (keys: readonly string[], isLeft: () => boolean) => {
      const variables = { ids: list.split(','), keys: [...keys] }
      const { data, error } = await readings.query(runMetricsQuery, variables).toPromise()
      if (isLeft()) return
      // A key that no run has any more has an answer too.
      const answered = error ? [] : keys.map((key) => [key, new Map<string, Curve>()] as const)
      setState((before) => ({
        list,
        curves: new Map([...(before.list === list ? before.curves : []), ...answered, ...byKey(data)]),
        error,
      }))
    },
    [list],
  )
  const drop = useCallback(() => setState({ list, curves: new Map(), error: undefined }), [list])
  const kept = state.list === list ? state : { list, curves: NOTHING, error: undefined }
  return { ...kept, ask, drop }
}

const NOTHING: CurvesByKey = new Map()

/** Asks for these once; after an error not before `drop`. */
export function useAsked({ ask, error }: MoreCurves, keys: readonly string[]): void {
  const asked = keys.length === 0 || error ? null : JSON.stringify(keys)
  useEffect(() => {
    if (asked === null) return undefined
    let isLeft = false
    void ask(JSON.parse(asked) as string[], () => isLeft)
    return () => {
      isLeft = true
    }
  }, [asked, ask])
}

/** Reads what is kept again when there is a newer first answer: one request after the other. */
export function useReadAgain({ ask, curves }: MoreCurves, first: RunMetricsQuery | undefined): void {
  const kept = useRef<readonly string[]>([])
  kept.current = [...curves.keys()]
  useEffect(() => {
    let isLeft = first === undefined
    const readAgain = async () => {
      const keys = kept.current
      for (let at = 0; at < keys.length && !isLeft; at += MAX_MORE)
        await ask(keys.slice(at, at + MAX_MORE), () => isLeft)
    }
    void readAgain()
    return () => {
      isLeft = true
    }
  }, [first, ask])
}
