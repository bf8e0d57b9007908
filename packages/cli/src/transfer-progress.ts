/** Progress of a push or pull on standard error: a bar on a terminal, otherwise a line every few seconds. */

import type { Progress } from '@hub/client/internal'
import { SingleBar } from 'cli-progress'
import { type ClientIo, countText, sizeText } from './client-output.ts'
import { durationText } from './duration-text.ts'
import { inLine, print } from './terminal.ts'
import { type TimeLeft, timeLeft } from './time-left.ts'

const phaseWord = { hash: 'checking', look: 'looking for secrets', send: 'pushing', fetch: 'pulling' } as const

/** Between two lines of output that is not a terminal: a log stays short, and a reader sees that it moves. */
const LINE_MS = 5000
/** Between two drawings of a bar while nothing moves: what it says of the time changes. */
const TICK_MS = 1000
/** A shorter transfer says nothing about the speed. */
const LEAST_TIMED_MS = 1000

/** A phase of these waits for the hub when it stalls; the others are work of this machine. */
const isTransfer = (name: keyof typeof phaseWord) => name === 'send' || name === 'fetch'

interface Phase {
  readonly name: keyof typeof phaseWord
  readonly count: number
  readonly size: number
  readonly estimate: TimeLeft
  readonly startedMs: number
  moved: number
  /** Of these, what was there already. */
  known: number
  files: number
}

/** Of the terminal: also says how fast it was. */
interface ShownProgress extends Progress {
  /** ` (8.5 MB/s)`: what was transferred by the time of that alone; '' where it was too little to say. */
  speedText(): string
}

/** Shows one phase at a time. */
interface Display {
  begin(phase: Phase): void
  update(phase: Phase): void
  end(): void
}

/** `plan: false` leaves out the line about what will be sent, for output that a program reads. */
export function progressOn(
  stream: ClientIo['stderr'],
  { plan = true }: { readonly plan?: boolean } = {},
): ShownProgress {
  const display = stream.isTTY ? barOn(stream) : linesOn(stream)
  let phase: Phase | null = null
  const change = (move: (phase: Phase) => void) => {
    if (phase === null) return
    move(phase)
    display.update(phase)
  }
  const sum = { bytes: 0, ms: 0 }
  const end = () => {
    if (phase === null) return
    display.end()
    if (isTransfer(phase.name)) {
      sum.bytes += phase.moved - phase.known
      sum.ms += performance.now() - phase.startedMs
    }
    phase = null
  }
  return {
    begin(name, count, size) {
      end()
      if (count === 0) return
      const startedMs = performance.now()
      phase = { name, count, size, startedMs, estimate: timeLeft(startedMs), moved: 0, known: 0, files: 0 }
      display.begin(phase)
    },
    bytes: (count, how) =>
      change((now) => {
        now.moved += count
        // What was there already says nothing of the speed.
        if (how === 'known') now.known += count
        else now.estimate.moved(performance.now(), { files: 0, bytes: count })
      }),
    file: (_path, how) =>
      change((now) => {
        now.files += 1
        if (how !== 'known') now.estimate.moved(performance.now(), { files: 1, bytes: 0 })
      }),
    planned({ send, bytes, skip, skipBytes }) {
      if (!plan || send === 0) return
      const already = skip > 0 ? `; ${countText(skip, 'file')} (${sizeText(skipBytes)}) already there` : ''
      print(stream, `hub: ${countText(send, 'file')} to send (${sizeText(bytes)})${already}\n`)
    },
    note: (message) => print(stream, `${inLine(message)}\n`),
    end,
    speedText() {
      end()
      const isTimed = sum.ms >= LEAST_TIMED_MS && sum.bytes > 0
      return isTimed ? ` (${sizeText(Math.round((sum.bytes / sum.ms) * 1000))}/s)` : ''
    },
  }
}

function barOn(stream: ClientIo['stderr']): Display {
  let bar: SingleBar | null = null
  let timer: NodeJS.Timeout | undefined
  const shown = (phase: Phase) => ({
    files: phase.files,
    rate: `${sizeText(rateOf(phase))}/s`,
    moved: sizeText(movedOf(phase)),
    left: leftText(phase, ' | '),
  })
  return {
    begin(phase) {
      const format = `${phaseWord[phase.name]} [{bar}] {percentage}% | {moved} of ${sizeText(phase.size)} | {rate}{left} | {files}/${phase.count} files`
      bar = new SingleBar({
        format,
        stream,
        hideCursor: true,
        barsize: 24,
        fps: 8,
        gracefulExit: false,
        clearOnComplete: true,
      })
      bar.start(doneOf(phase).whole, 0, shown(phase))
      timer = setInterval(() => bar?.update(shown(phase)), TICK_MS)
      timer.unref()
    },
    update: (phase) => bar?.update(doneOf(phase).done, shown(phase)),
    end() {
      clearInterval(timer)
      bar?.stop()
      bar = null
    },
  }
}

/** A phase of less than one interval prints nothing. */
function linesOn(stream: ClientIo['stderr']): Display {
  let timer: NodeJS.Timeout | undefined
  return {
    begin(phase) {
      timer = setInterval(() => print(stream, `hub: ${progressLine(phase)}\n`), LINE_MS)
      timer.unref()
    },
    update() {},
    end: () => clearInterval(timer),
  }
}

function progressLine(phase: Phase): string {
  const moved = movedOf(phase)
  const { done, whole } = doneOf(phase)
  return (
    `${phaseWord[phase.name]} ${Math.floor((100 * done) / whole)}%, ${sizeText(moved)} of ${sizeText(phase.size)}, ` +
    `${phase.files} of ${countText(phase.count, 'file')}, ${sizeText(rateOf(phase))}/s${leftText(phase, ', ')}`
  )
}

/** In bytes; of empty files alone in files. */
const doneOf = (phase: Phase) =>
  phase.size === 0 ? { done: phase.files, whole: phase.count } : { done: movedOf(phase), whole: phase.size }

const movedOf = ({ moved, size }: Phase) => Math.min(size, Math.max(0, moved))

const rateOf = ({ estimate }: Phase) => estimate.rate(performance.now())

/** Empty until what moved says something about the rest. */
function leftText(phase: Phase, separator: string): string {
  if (isTransfer(phase.name) && phase.estimate.isStalled(performance.now())) return `${separator}waiting for the hub`
  const rest = { files: Math.max(0, phase.count - phase.files), bytes: phase.size - movedOf(phase) }
  const seconds = phase.estimate.seconds(performance.now(), rest)
  return seconds === null ? '' : `${separator}${durationText(seconds)} left`
}
