/** State on disk from which a restarted worker resumes one job. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { z } from 'zod'

export interface Journal<State> {
  readonly state: Readonly<State>
  /** Changes the state and syncs it to disk before returning. */
  put(change: Partial<State>): void
}

/** Opens a journal with `state`. Throws file system errors: without a journal, something could be reported twice. */
export function openJournal<State extends object>(file: string, state: State): Journal<State> {
  let current = state
  const journal: Journal<State> = {
    get state() {
      return current
    },
    put(change) {
      current = { ...current, ...change }
      writeDurably(file, JSON.stringify(current))
    },
  }
  journal.put({})
  return journal
}

/** The stored state; null if the file is missing or unreadable. */
export function readJournal<Shape extends z.ZodType>(file: string, shape: Shape): z.output<Shape> | null {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Replaces a file, readable only by its owner. Atomic, even if the machine crashes. */
export function writeDurably(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.new`
  const fd = openSync(fresh, 'w', 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(fresh, file)
}
