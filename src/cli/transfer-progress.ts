/** Progress of a push or pull on standard error: a bar on a terminal, otherwise a line every few seconds. */
import { SingleBar } from 'cli-progress'
import type { Progress } from '../client/index.ts'
import { type ClientIo, countText, sizeText } from './client-output.ts'
import { inLine, print } from './terminal.ts'

const phaseWord = { hash: 'checking', send: 'pushing', fetch: 'pulling' } as const

/** Between two lines of output that is not a terminal: a log stays short, and a reader sees that it moves. */
const LINE_MS = 5000

interface Phase {
  readonly name: keyof typeof phaseWord
  readonly count: number
  readonly size: number
  readonly startedMs: number
  moved: number
  /** Of these, the bytes that were there already. */
  known: number
  files: number
}

/** Shows one phase at a time. */
interface Display {
  begin(phase: Phase): void
  update(phase: Phase): void
  end(): void
}

/** `plan: false` leaves out the line about what will be sent, for output that a program reads. */
export function progressOn(stream: ClientIo['stderr'], { plan = true }: { readonly plan?: boolean } = {}): Progress {
  const display = stream.isTTY ? barOn(stream) : linesOn(stream)
  let phase: Phase | null = null
  const change = (move: (phase: Phase) => void) => {
    if (phase === null) return
    move(phase)
    display.update(phase)
  }
  const end = () => {
    if (phase !== null) display.end()
    phase = null
  }
  return {
    begin(name, count, size) {
      end()
      if (count === 0) return
      phase = { name, count, size, startedMs: performance.now(), moved: 0, known: 0, files: 0 }
      display.begin(phase)
    },
    bytes: (count, how) =>
      change((now) => {
        now.moved += count
        if (how === 'known') now.known += count
      }),
    file: () =>
      change((now) => {
        now.files += 1
      }),
    planned({ send, bytes, skip, skipBytes }) {
      if (!plan || send === 0) return
      const already = skip > 0 ? `; ${countText(skip, 'file')} (${sizeText(skipBytes)}) already there` : ''
      print(stream, `hub: ${countText(send, 'file')} to send (${sizeText(bytes)})${already}\n`)
    },
    note: (message) => print(stream, `${inLine(message)}\n`),
    end,
  }
}

function barOn(stream: ClientIo['stderr']): Display {
  let bar: SingleBar | null = null
  const shown = (phase: Phase) => ({
    files: phase.files,
    rate: `${sizeText(rateOf(phase))}/s`,
    moved: sizeText(movedOf(phase)),
    left: leftText(phase),
  })
  return {
    begin(phase) {
      const format = `${phaseWord[phase.name]} [{bar}] {percentage}% | {moved} of ${sizeText(phase.size)} | {rate} | {left} left | {files}/${phase.count} files`
      bar = new SingleBar({
        format,
        stream,
        hideCursor: true,
        barsize: 24,
        fps: 8,
        gracefulExit: false,
        clearOnComplete: true,
      })
      bar.start(phase.size, 0, shown(phase))
    },
    update: (phase) => bar?.update(movedOf(phase), shown(phase)),
    end() {
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
  const percent = phase.size === 0 ? 100 : Math.floor((100 * moved) / phase.size)
  return (
    `${phaseWord[phase.name]} ${percent}%, ${sizeText(moved)} of ${sizeText(phase.size)}, ${phase.files} of ${countText(phase.count, 'file')}, ` +
    `${sizeText(rateOf(phase))}/s, ${leftText(phase)} left`
  )
}

const movedOf = ({ moved, size }: Phase) => Math.min(size, Math.max(0, moved))

/** Bytes a second since the phase began, without those that were there already. */
function rateOf(phase: Phase): number {
  const transferred = Math.max(0, movedOf(phase) - phase.known)
  return Math.round(transferred / Math.max(0.001, secondsOf(phase)))
}

const secondsOf = ({ startedMs }: Phase) => (performance.now() - startedMs) / 1000

/** A rate of less than this says nothing about the rest. */
const ESTIMATE_S = 2

function leftText(phase: Phase): string {
  const rate = rateOf(phase)
  return rate === 0 || secondsOf(phase) < ESTIMATE_S ? 'unknown time' : duration((phase.size - movedOf(phase)) / rate)
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
