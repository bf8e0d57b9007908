/**
 * An append-only file of lines that several processes may read and write at once. A killed one loses at most the line
 * that it was writing. A journal is a cache: if its file cannot be written, it is silently none.
 */
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

const COMPACT_ABOVE_BYTES = 1_048_576

/** A compaction takes seconds; one that began so long ago, by either clock, was killed. */
const COMPACTION_MS = 3_600_000

/** A compaction in the middle of an append is rare, a second one more so. */
const MOST_APPENDS = 4

export interface AppendOptions {
  /** On the disk before it returns, so that a loss of power does not lose it. */
  readonly isLasting?: boolean
}

/** Opens or makes the journal at `file`, private to the user; `read` gets the lines that are there. */
export function openJournal(file: string, read: (line: string) => void) {
  let open = openToAppend(file)
  const bytes = readAll(file, open)
  const size = bytes.length
  /** Up to the end of the last whole line. A rest is cut off by a kill, or another process is writing it. */
  const wholeBytes = bytes.lastIndexOf(NEWLINE) + 1
  for (const line of linesOf(bytes)) read(line)
  // After a kill, the last line may lack its newline.
  if (wholeBytes < size) attempt(({ fd }) => write(fd, '\n'))

  /** From the first failure on, nothing more is written. */
  function attempt(work: (to: Open) => void): void {
    try {
      if (open) work(open)
    } catch {
      close()
    }
  }

  function close(): void {
    if (open) closeSync(open.fd)
    open = null
  }

  return {
    /**
     * Appends a line. The file may have been replaced since it was opened; looking after the write makes sure that the
     * line is kept: if the file is replaced after the look, the line was there before that, and is taken over.
     */
    append(line: string, { isLasting = false }: AppendOptions = {}): void {
      for (let left = MOST_APPENDS; left > 0; left -= 1) {
        attempt(({ fd }) => {
          write(fd, `${line}\n`)
          if (isLasting) flush(fd)
        })
        if (!open || isAt(file, open)) return
        close()
        open = openToAppend(file)
      }
    },
    /**
     * Replaces the lines that were read by these, if there are many and the file becomes less than half as large. What
     * other processes append meanwhile stays.
     */
    compact(lines: () => Iterable<string>): void {
      if (!open || size <= COMPACT_ABOVE_BYTES) return
      const fresh = Buffer.from([...lines()].map((one) => `${one}\n`).join(''))
      if (fresh.length * 2 < size) open = replaced(file, { open, wholeBytes, fresh })
    },
    close,
  }
}

/** An open file, and which one it is. */
interface Open {
  readonly fd: number
  readonly ino: number
  readonly dev: number
}

const NEWLINE = 0x0a

function openToAppend(file: string): Open | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const open = identified(openSync(file, 'a+', 0o600))
    if (fstatSync(open.fd).isFile()) return open
    closeSync(open.fd)
  } catch {
    // The folder cannot be made, or the file not written.
  }
  return null
}

function identified(fd: number): Open {
  const { ino, dev } = fstatSync(fd)
  return { fd, ino, dev }
}

/** Of the file that is appended to, which another process may have replaced by now; one that is read-only is read. */
function readAll(file: string, open: Open | null): Buffer {
  try {
    return open || statSync(file).isFile() ? readFileSync(open?.fd ?? file) : Buffer.alloc(0)
  } catch {
    return Buffer.alloc(0)
  }
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found < 0 ? bytes.length : found
    if (end > start) yield bytes.toString('utf8', start, end)
    start = end + 1
  }
}

/** Writes all or throws: a disk that becomes full takes a part of a line without an error. */
function write(fd: number, text: string | Buffer): void {
  const bytes = Buffer.from(text)
  if (writeSync(fd, bytes) < bytes.length) throw new Error('The disk is full.')
}

/** A file system that cannot flush still keeps what is written. */
function flush(fd: number): void {
  try {
    fdatasyncSync(fd)
  } catch {
    // Only a loss of power loses the line.
  }
}

function isAt(file: string, { ino, dev }: Open): boolean {
  try {
    const there = statSync(file)
    return there.ino === ino && there.dev === dev
  } catch {
    return false
  }
}

interface Replacing {
  readonly open: Open
  /** What of the old file the fresh lines stand for. */
  readonly wholeBytes: number
  readonly fresh: Buffer
}

/**
 * Puts the fresh lines in the place of the file; returns what to append to. The new file has one name, so that one
 * process compacts at a time. If that fails, the old file goes on.
 */
function replaced(file: string, { open, wholeBytes, fresh }: Replacing): Open {
  const made = `${file}.new`
  let fd: number
  try {
    fd = openSync(made, 'ax', 0o600)
  } catch {
    removeOld(made)
    return open
  }
  try {
    // Another process may have replaced the file between the opening and this: its lines are not in the fresh ones.
    if (!isAt(file, open)) throw new Error('The journal was replaced.')
    write(fd, fresh)
    flush(fd)
    renameSync(made, file)
  } catch {
    closeSync(fd)
    rmSync(made, { force: true })
    return open
  }
  try {
    write(fd, restOf(open.fd, wholeBytes))
  } catch {
    // What others wrote meanwhile is lost, as by a kill.
  }
  closeSync(open.fd)
  return identified(fd)
}

/** What is in the file behind a position. */
function restOf(fd: number, start: number): Buffer {
  const rest = Buffer.alloc(Math.max(0, fstatSync(fd).size - start))
  return rest.subarray(0, readSync(fd, rest, 0, rest.length, start))
}

/** Removes the new file of a compaction that was killed. */
function removeOld(made: string): void {
  try {
    if (Math.abs(Date.now() - statSync(made).mtimeMs) > COMPACTION_MS) rmSync(made)
  } catch {
    // It is gone, or cannot be made at all.
  }
}
