/**
 * The on-disk state of one run, from which a restarted runner resumes. The command writes its output to files; the journal
 * records how far they were reported and the sequence numbers of the report in flight, so that a retry sends the same report.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

const span = z.object({ from: z.number().int().min(0), to: z.number().int().min(0) })
/** Byte ranges of the two files in the report in flight. */
const sending = z.object({ log: span.nullable(), metrics: span.nullable() })
export type Sending = z.output<typeof sending>

const command = z.object({ pid: z.number().int(), born: z.string() })
export type RunningCommand = z.output<typeof command>

const shape = z.object({
  runId: z.string(),
  url: z.string(),
  attempt: z.number().int(),
  command: command.nullable(),
  /** Bytes reported so far, and the sequence number of the next report. */
  log: z.object({ bytes: z.number().int(), seq: z.number().int() }),
  metrics: z.object({ bytes: z.number().int(), seq: z.number().int() }),
  /** The report in flight, or whose response is unknown. */
  sending: sending.nullable(),
  configSent: z.boolean(),
  scorecardSent: z.boolean(),
  /** The last published checkpoint and its repo. */
  published: z.object({ step: z.number().int(), repo: z.string() }).nullable(),
  outputReported: z.boolean(),
  /** The last gated step, and the running battery. */
  gated: z.number().int().default(0),
  gating: z.object({ step: z.number().int(), command }).nullable().default(null),
  /** The final status, once decided. */
  ending: z.object({ status: z.enum(['succeeded', 'failed', 'canceled']), error: z.string().nullable() }).nullable(),
  /** The final status was reported, or the claim was lost. */
  done: z.boolean(),
})
export type JournalState = z.output<typeof shape>

export interface Journal {
  readonly state: Readonly<JournalState>
  /** Changes the state and syncs it to disk before returning. */
  put(change: Partial<JournalState>): void
}

/** The state before anything was reported. */
export function newState(run: Pick<JournalState, 'runId' | 'url' | 'attempt'>): JournalState {
  return {
    ...run,
    command: null,
    log: { bytes: 0, seq: 0 },
    metrics: { bytes: 0, seq: 0 },
    sending: null,
    configSent: false,
    scorecardSent: false,
    published: null,
    outputReported: false,
    gated: 0,
    gating: null,
    ending: null,
    done: false,
  }
}

/** Opens a journal with `state`. Throws file system errors: without a journal, lines could be reported twice. */
export function openJournal(file: string, state: JournalState): Journal {
  let current = state
  mkdirSync(dirname(file), { recursive: true })
  const journal: Journal = {
    get state() {
      return current
    },
    put(change) {
      current = { ...current, ...change }
      write(file, current)
    },
  }
  journal.put({})
  return journal
}

/** The stored state; null if the file is missing or unreadable. */
export function readJournal(file: string): JournalState | null {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Atomic, even if the machine crashes. */
function write(file: string, state: JournalState): void {
  const fresh = `${file}.new`
  const fd = openSync(fresh, 'w', 0o600)
  try {
    writeSync(fd, JSON.stringify(state))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(fresh, file)
}
