/** A log that arrives by a subscription. */
import { useEffect, useState } from 'react'
import type { CombinedError } from 'urql'
import { asShown, type LogLine, type LogLines, noLines, withLines } from './log-lines.ts'
import type { RootField } from './root-field.ts'

/** One line as it came; `ts` is when the hub received it. */
interface Event {
  readonly line: string
  readonly ts?: string
}

/** One event of the subscription, as `rootField` has it. */
type Batch = RootField<{ readonly events: readonly Event[] } | null>

export type Heard = (batch: Batch) => void

interface FollowedLog {
  readonly log: LogLines
  /** Why it does not continue: of the newest batch. */
  readonly error: CombinedError | undefined
}

/**
 * `follow` subscribes, calls back with each batch, and returns what ends it. Lines that come within one frame are one
 * change of the page.
 */
export function useLog(follow: (heard: Heard) => () => void): FollowedLog {
  const [log, setLog] = useState<LogLines>(noLines)
  const [error, setError] = useState<CombinedError>()
  useEffect(() => {
    let waiting: LogLine[] = []
    let frame: number | null = null
    setLog(noLines)
    setError(undefined)
    const show = () => {
      frame = null
      const added = waiting
      waiting = []
      setLog((before) => withLines(before, added))
    }
    const markOf = clock()
    const end = follow((batch) => {
      setError(batch.error)
      for (const { line, ts } of batch.value?.events ?? [])
        waiting.push({ text: asShown(line), mark: ts ? markOf(ts) : '' })
      if (waiting.length > 0) frame ??= requestAnimationFrame(show)
    })
    return () => {
      end()
      if (frame !== null) cancelAnimationFrame(frame)
    }
  }, [follow])
  return { log, error }
}

/** `14:03:59` in the time of the browser. Lines of one report have one time, which is formatted once. */
function clock(): (time: string) => string {
  let [last, text] = ['', '']
  return (time) => {
    if (time !== last) [last, text] = [time, new Date(time).toLocaleTimeString('en-GB')]
    return text
  }
}
