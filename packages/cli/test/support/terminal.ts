import { EventEmitter } from 'node:events'
import type { AskingIo } from '../../src/prompt.ts'

/** A terminal, whose keys and signals the test gives. */
export function terminal(isTTY: boolean) {
  const written = { out: '', err: '' }
  const raw: boolean[] = []
  const keys = Object.assign(new EventEmitter(), {
    isTTY,
    resume: () => keys,
    pause: () => keys,
    setRawMode: (isRaw: boolean) => raw.push(isRaw),
  })
  const signals: (() => void)[] = []
  const io = {
    env: {},
    stdin: keys,
    stdout: {
      isTTY,
      columns: 40,
      rows: 5,
      write: (text: string) => {
        written.out += text
      },
    },
    stderr: {
      write: (text: string) => {
        written.err += text
      },
    },
    onInterrupt: (stop: () => void) => {
      signals.push(stop)
      return () => signals.splice(0)
    },
  } as unknown as AskingIo
  return { io, keys, signals, written, raw }
}
