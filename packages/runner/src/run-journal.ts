/**
 * The on-disk state of one run, from which a restarted runner resumes. The command writes its output to files; the
 * journal records how far they were reported and the sequence numbers of the report in flight, so that a retry sends
 * the same report.
 */
import { z } from 'zod'
import { type Journal, readJournal } from './worker/journal.ts'

const span = z.object({ from: z.number().int().min(0), to: z.number().int().min(0) })
/** Byte ranges of the two files in the report in flight. */
const sending = z.object({ log: span.nullable(), metrics: span.nullable() })
export type Sending = z.output<typeof sending>

const command = z.object({ pid: z.number().int(), born: z.string() })

/** What the journal of a run holds. */
export const runState = z.object({
  runId: z.string(),
  url: z.string(),
  attempt: z.number().int(),
  command: command.nullable(),
  /** Bytes reported so far, and the sequence number of the next report. */
  log: z.object({ bytes: z.number().int(), seq: z.number().int() }),
  metrics: z.object({ bytes: z.number().int(), seq: z.number().int() }),
  /** The report in flight, or whose response is unknown. */
  sending: sending.nullable(),
  /** The config.yaml that was sent last. */
  configVersion: z.string().nullable().default(null),
  scorecardSent: z.boolean(),
  /** The last published checkpoint and its repo. */
  published: z.object({ step: z.number().int(), repo: z.string() }).nullable(),
  outputReported: z.boolean(),
  /** The last gated step, and the running battery. */
  gated: z.number().int().default(0),
  gating: z.object({ step: z.number().int(), command }).nullable().default(null),
  /** The final status, once decided. */
  ending: z.object({ status: z.enum(['succeeded', 'failed', 'canceled']), error: z.string().nullable() }).nullable(),
  /** Something that the runner looks for was not sent: the hub refused it. */
  unsent: z.boolean().default(false),
  /** What that was, and why. */
  leftBehind: z.array(z.string()).default([]),
  /** The final status was reported, or the claim was lost. */
  done: z.boolean(),
  /** Everything was reported: the folder is no longer needed. */
  removable: z.boolean().default(false),
})
export type RunState = z.output<typeof runState>
export type RunJournal = Journal<RunState>

/** The stored state of a run; null if the file is missing or unreadable. */
export const readRunState = (file: string): RunState | null => readJournal(file, runState)

/** The state before anything was reported. */
export function newState(run: Pick<RunState, 'runId' | 'url' | 'attempt'>): RunState {
  return {
    ...run,
    command: null,
    log: { bytes: 0, seq: 0 },
    metrics: { bytes: 0, seq: 0 },
    sending: null,
    configVersion: null,
    scorecardSent: false,
    published: null,
    outputReported: false,
    gated: 0,
    gating: null,
    ending: null,
    unsent: false,
    leftBehind: [],
    done: false,
    removable: false,
  }
}
