/**
 * The append-only file of a tracked run's metrics. Each line is `SOURCE OFFSET OBJECT`: where the object comes from and
 * how far its source is read with it. What is stored and how far each source was read is so one write: after a kill the
 * offsets follow from the lines, and no line is lost or there twice. A line `+SOURCE NAME` names a source.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'

const WINDOW = 1024 * 1024
const NEWLINE = 10

export interface SpooledLine {
  /** The offset in the source behind the line. */
  readonly to: number
  /** A JSON object in one line; '' for what is passed over. */
  readonly text: string
}

export interface Spool {
  /** Adds lines of a source; they are on disk when it returns. Throws file system errors. */
  append(source: string, lines: readonly SpooledLine[]): void
  /** How far a source was read; 0 for a new one. */
  offsetOf(source: string): number
  close(): void
}

/** The object of a line of the spool; '' if it has none. What a reporter sends. */
export function objectOf(line: string): string {
  if (line.startsWith('+')) return ''
  return line.slice(line.indexOf(' ', line.indexOf(' ') + 1) + 1)
}

/** Opens the spool, and cuts off a line that a kill left unfinished. `write`: as `writeSync`, for a disk that is full. */
export function openSpool(file: string, write: (fd: number, bytes: Buffer, at: number) => number = writeSync): Spool {
  const fd = openSync(file, 'a+', 0o600)
  const { ids, offsets, size } = readBack(fd)
  if (size < fstatSync(fd).size) ftruncateSync(fd, size)

  function idOf(source: string): readonly [id: number, naming: string] {
    const known = ids.get(source)
    if (known !== undefined) return [known, '']
    const id = ids.size + 1
    return [id, `+${id} ${source}\n`]
  }

  return {
    append(source, lines) {
      const last = lines.at(-1)
      if (last === undefined) return
      const [id, naming] = idOf(source)
      const bytes = Buffer.from(naming + lines.map(({ to, text }) => `${id} ${to} ${text}\n`).join(''))
      const before = fstatSync(fd).size
      try {
        for (let at = 0; at < bytes.length; ) at += write(fd, bytes, at)
        fsyncSync(fd)
      } catch (error) {
        // Half of a line would take the next one with it, once there is room again.
        ftruncateSync(fd, before)
        throw error
      }
      ids.set(source, id)
      offsets.set(id, last.to)
    },
    offsetOf: (source) => offsets.get(ids.get(source) ?? 0) ?? 0,
    close: () => closeSync(fd),
  }
}

/** The sources, how far each was read, and where the last complete line ends. Reads a window at a time. */
function readBack(fd: number): { ids: Map<string, number>; offsets: Map<number, number>; size: number } {
  const ids = new Map<string, number>()
  const offsets = new Map<number, number>()
  const window = Buffer.alloc(WINDOW)
  let rest = Buffer.alloc(0)
  let size = 0
  for (let at = 0; ; ) {
    const count = readSync(fd, window, 0, WINDOW, at)
    if (count === 0) return { ids, offsets, size }
    at += count
    const bytes = Buffer.concat([rest, window.subarray(0, count)])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    // A line is found by its first bytes; the object behind them is not read.
    for (let from = 0; from < end; from = bytes.indexOf(NEWLINE, from) + 1) note(bytes, from)
    size += end
    rest = Buffer.from(bytes.subarray(end))
  }

  function note(bytes: Buffer, from: number): void {
    if (bytes[from] === 0x2b) {
      const [, id, name = ''] = /^\+(\d+) (.*)$/.exec(bytes.toString('utf8', from, bytes.indexOf(NEWLINE, from))) ?? []
      ids.set(name, Number(id))
      return
    }
    const [, id, to] = /^(\d+) (\d+) /.exec(bytes.toString('latin1', from, from + 40)) ?? []
    if (id !== undefined) offsets.set(Number(id), Number(to))
  }
}
