/**
 * `--watch`: reads something again and again and shows it when it has changed: drawn in place on a terminal, else as
 * further lines. q and Ctrl-C end it.
 */
import { TransferError } from '@hub/client/internal'
import { type ClientIo, exitCode } from './client-output.ts'
import { drawingOn } from './drawing.ts'
import type { AskingIo } from './prompt.ts'
import { type Screen, screenOf } from './screen.ts'
import { print } from './terminal.ts'
import { unlessAborted } from './unless-aborted.ts'

/** What is watched. */
export interface Watched<T> {
  read(): Promise<T>
  /** All of it, for a terminal. */
  draw(now: T, screen: Screen): string
  /** Prints what has changed since `before`, null at first, to output that is not a terminal. */
  printChange(now: T, before: T | null): void
  isOver(now: T): boolean
}

/** Milliseconds between two readings. */
export interface Pace {
  readonly least: number
  readonly most: number
}

const usualPace: Pace = { least: 2000, most: 15_000 }

/** A change is followed closely; what rests is read less and less often. */
export const nextWait = (waitMs: number, isChanged: boolean, { least, most }: Pace): number =>
  isChanged ? least : Math.min(most, waitMs * 1.5)

/**
 * Watches until it is over, and returns its last value; or until the person ends it, and returns the exit code of the
 * command. A hub that stops answering is asked again.
 */
export async function watch<T>(
  io: AskingIo,
  what: Watched<T>,
  pace: Pace = usualPace,
): Promise<{ readonly last: T } | number> {
  const stop = stopOf(io)
  const show = showerOf(io, what)
  let before: T | null = null
  let waitMs = pace.least
  try {
    for (;;) {
      const read = await unlessAborted(attempt(what.read()), stop.signal)
      if (read === null) return stop.code()
      if ('error' in read) {
        if (before === null || !(read.error instanceof TransferError)) throw read.error
        show.silence()
        waitMs = nextWait(waitMs, false, pace)
      } else {
        const isChanged = show.value(read.value, before)
        before = read.value
        if (what.isOver(read.value)) return { last: read.value }
        waitMs = nextWait(waitMs, isChanged, pace)
      }
      await pauseUnless(stop.signal, waitMs)
      if (stop.signal.aborted) return stop.code()
    }
  } finally {
    stop.end()
    show.end()
  }
}

async function attempt<T>(reading: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await reading }
  } catch (error) {
    return { error }
  }
}

/** The timer does not outlive it: the process would wait for it. */
async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const pause = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await unlessAborted(pause, signal)
  } finally {
    clearTimeout(timer)
  }
}

function showerOf<T>({ stdout, stderr, env }: ClientIo, what: Watched<T>) {
  if (stdout.isTTY !== true) {
    let isSilent = false
    return {
      value(now: T, before: T | null): boolean {
        isSilent = false
        const isChanged = before === null || JSON.stringify(now) !== JSON.stringify(before)
        if (isChanged) what.printChange(now, before)
        return isChanged
      },
      silence() {
        if (!isSilent) print(stderr, 'hub: the hub does not answer; asking again\n')
        isSilent = true
      },
      end() {},
    }
  }
  const drawing = drawingOn(stdout)
  let drawn: string | null = null
  const footer = (text: string, screen: Screen) => drawing.draw(drawn ?? '', text, screen.height)
  return {
    value(now: T): boolean {
      const screen = screenOf({ stdout, env })
      const text = what.draw(now, screen)
      const isChanged = text !== drawn
      drawn = text
      footer('q ends', screen)
      return isChanged
    },
    silence: () => footer('the hub does not answer, asking again; q ends', screenOf({ stdout, env })),
    end: () => drawing.end(drawn),
  }
}

/** Ctrl-C and SIGTERM; on a terminal q, too, which needs it in raw mode, where Ctrl-C is a character. */
function stopOf(io: AskingIo) {
  const { stdin } = io
  const stopped = new AbortController()
  let code: number = exitCode.ok
  const stop = (asked: number) => {
    if (!stopped.signal.aborted) code = asked
    stopped.abort()
  }
  const removeListener = io.onInterrupt(() => stop(exitCode.interrupted))
  const hasKeys = stdin.isTTY === true && io.stdout.isTTY === true && stdin.setRawMode !== undefined
  const onKey = (typed: Buffer | string) => {
    const text = String(typed)
    if (text.includes('\x03')) stop(exitCode.interrupted)
    else if (/q/i.test(text)) stop(exitCode.ok)
  }
  if (hasKeys) {
    stdin.setRawMode?.(true)
    stdin.on('data', onKey).resume()
  }
  return {
    signal: stopped.signal,
    code: () => code,
    end(): void {
      removeListener()
      if (!hasKeys) return
      stdin.off('data', onKey).pause()
      stdin.setRawMode?.(false)
    },
  }
}
