/**
 * What a runner knows of one run, on disk: so that a runner which is killed goes on where it stopped. The command writes its output into files; the journal
 * says how far they were reported, and with which numbers the report under way goes, so that it goes again as the same report.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

const span = z.object({ from: z.number().int().min(0), to: z.number().int().min(0) })
/** Byte ranges of the two files, each with the number that its report bears. */
const sending = z.object({ log: span.nullable(), metrics: span.nullable() })
export type Sending = z.output<typeof sending>

const command = z.object({ pid: z.number().int(), born: z.string() })
export type RunningCommand = z.output<typeof command>

const shape = z.object({
  runId: z.string(),
  url: z.string(),
  attempt: z.number().int(),
  command: command.nullable(),
  /** Reported so far: bytes, and the number of the next report. */
  log: z.object({ bytes: z.number().int(), seq: z.number().int() }),
  metrics: z.object({ bytes: z.number().int(), seq: z.number().int() }),
  /** The report whose answer is not known. */
  sending: sending.nullable(),
  configSent: z.boolean(),
  scorecardSent: z.boolean(),
  /** The last checkpoint that is published, and where. */
  published: z.object({ step: z.number().int(), repo: z.string() }).nullable(),
  outputReported: z.boolean(),
  /** The step up to which checkpoints are gated, and the battery under way. */
  gated: z.number().int().default(0),
  gating: z.object({ step: z.number().int(), command }).nullable().default(null),
  /** Why the run ends, once that is decided. */
  ending: z.object({ status: z.enum(['succeeded', 'failed', 'canceled']), error: z.string().nullable() }).nullable(),
  /** Nothing is left to do: the end was reported, or the claim was lost. */
  done: z.boolean(),
})
export type JournalState = z.output<typeof shape>

export interface Journal {
  readonly state: Readonly<JournalState>
  /** Changes the state; it is on disk when this returns. */
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

/** Begins a journal, or goes on with `state`. Throws what the file system throws: without a journal lines could be doubled. */
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

/** What the file says, or null where there is no journal that can be read. */
export function readJournal(file: string): JournalState | null {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Whole or not at all, whenever the machine stops. */
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
