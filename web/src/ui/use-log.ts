/** A log that arrives by a subscription. */
import { useEffect, useState } from 'react'
import { asShown, type LogLine, type LogLines, noLines, withLines } from './log-lines.ts'

/** One line as it came; `ts` is when the hub received it. */
interface Event {
  readonly line: string
  readonly ts?: string
}

/** `follow` subscribes, calls back with each batch, and returns what ends it. Lines that come within one frame are one change of the page. */
export function useLog(follow: (heard: (events: readonly Event[]) => void) => () => void): LogLines {
  const [log, setLog] = useState<LogLines>(noLines)
  useEffect(() => {
    let waiting: LogLine[] = []
    let frame: number | null = null
    setLog(noLines)
    const show = () => {
      frame = null
      const added = waiting
      waiting = []
      setLog((before) => withLines(before, added))
    }
    const markOf = clock()
    const end = follow((events) => {
      for (const { line, ts } of events) waiting.push({ text: asShown(line), mark: ts ? markOf(ts) : '' })
      if (waiting.length > 0) frame ??= requestAnimationFrame(show)
    })
    return () => {
      end()
      if (frame !== null) cancelAnimationFrame(frame)
    }
  }, [follow])
  return log
}

/** `14:03:59` in the time of the browser. Lines of one report have one time, which is formatted once. */
function clock(): (time: string) => string {
  let [last, text] = ['', '']
  return (time) => {
    if (time !== last) [last, text] = [time, new Date(time).toLocaleTimeString('en-GB')]
    return text
  }
}
