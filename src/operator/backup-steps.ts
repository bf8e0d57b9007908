/** Progress of a backup on standard error: one line for each step, which on a terminal moves while the step is done. */

import { type ClientIo, countText, sizeText } from 'hub/client-output'
import { print, printOver } from 'hub/terminal'
import type { Steps } from '../backup/dump-database.ts'

const REDRAW_MS = 200
/** Where no line can move, one is printed this often. */
const LINE_MS = 10_000

/** `end` finishes the line of the last step; it may be called more than once. */
export function stepsOn(stream: ClientIo['stderr']): Steps & { end(): void } {
  let title = ''
  let done = { count: 0, bytes: 0 }
  let startedMs = 0
  let shownMs = 0
  const line = () => {
    const seconds = (performance.now() - startedMs) / 1000
    return `${title}: ${countText(done.count, 'item')}, ${sizeText(done.bytes)} in ${seconds.toFixed(1)} s`
  }
  const end = () => {
    if (title === '') return
    if (stream.isTTY) printOver(stream, '')
    print(stream, `${line()}\n`)
    title = ''
  }
  return {
    begin(next) {
      end()
      title = next
      done = { count: 0, bytes: 0 }
      startedMs = performance.now()
      shownMs = startedMs
    },
    at({ count, bytes }) {
      done = { count, bytes }
      const now = performance.now()
      if (now - shownMs < (stream.isTTY ? REDRAW_MS : LINE_MS)) return
      shownMs = now
      if (stream.isTTY) printOver(stream, line())
      else print(stream, `${line()}\n`)
    },
    note: (text) => {
      if (stream.isTTY) printOver(stream, '')
      print(stream, `${text}\n`)
    },
    end,
  }
}
