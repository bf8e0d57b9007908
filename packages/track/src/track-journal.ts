/** What is known of a tracked run, on disk: from it a later `hub track --resume` goes on. */
import { newState, runState } from '@hub/runner/run-journal'
import { type Journal, openJournal, readJournal } from '@hub/runner/worker/journal'
import { z } from 'zod'
import type { TrackFiles } from './track-folder.ts'

const source = z.object({
  kind: z.enum(['lines', 'csv']),
  file: z.string(),
  /** Bytes that were there before the command began, and a digest of the first of them. */
  from: z.number().int(),
  head: z.string(),
})
export type SourceFile = z.output<typeof source>

const eventFolder = z.object({
  folder: z.string(),
  /** Bytes of each file that was there before the command began. */
  before: z.record(z.string(), z.number().int()),
})
export type EventFolder = z.output<typeof eventFolder>

/** An event file that was found by watching: what is before its tags, and which command of the run wrote it. */
const foundFile = z.object({ file: z.string(), run: z.string(), command: z.number().int() })

const shape = runState.extend({
  /** How the run is started: the same request under the same key, until the hub has answered. */
  start: z.object({ key: z.string(), body: z.record(z.string(), z.unknown()) }),
  /** The hub has begun it: `runId` is the run's. */
  started: z.boolean(),
  /** The Idempotency-Key of a claim whose answer is not known. */
  claimKey: z.string().nullable(),
  /** `owner/slug` that takes its files; null for one of its own, whose name follows from the run. */
  outputRepo: z.string().nullable(),
  /** The account and the name of that repo, once the hub has begun the run. */
  target: z.object({ owner: z.string(), slug: z.string() }).nullable(),
  /** Unix milliseconds. */
  createdAt: z.number(),
  cwd: z.string(),
  argv: z.array(z.string()),
  environmentSent: z.boolean(),
  /** Of `media.jsonl`: bytes that this attempt reported, and bytes whose files are in the repo, below `runs/RUN/`. */
  media: z
    .object({ bytes: z.number().int(), pushed: z.number().int(), run: z.string().nullable() })
    .default({ bytes: 0, pushed: 0, run: null }),
  /** Of `artifacts.jsonl`: bytes whose folders are in the repo, and the version that is being made of a line. */
  artifacts: z
    .object({ bytes: z.number().int(), making: z.object({ place: z.string(), version: z.string() }).nullable() })
    .default({ bytes: 0, making: null }),
  /** What of `wandb.json` the hub was told last. */
  words: z.record(z.string(), z.unknown()).default({}),
  /** Between lines of `system/` metrics; 0 for none. */
  systemEveryMs: z.number(),
  /** The number of the last command that was started; 0 for none. */
  commands: z.number().int(),
  sources: z.array(source),
  /** Of TensorBoard. */
  eventFolders: z.array(eventFolder).default([]),
  /** Its files are found by watching the command. */
  watchEvents: z.boolean().default(false),
  foundEvents: z.array(foundFile).default([]),
  /** Why the hub takes nothing more of it. */
  gaveUp: z.string().nullable(),
})
export type TrackState = z.output<typeof shape>
export type TrackJournal = Journal<TrackState>

/** The stored journal of a folder; null if there is none that can be read. */
export const readTrackState = ({ journal }: TrackFiles): TrackState | null => readJournal(journal, shape)

/** Opens the journal of a folder that has one. */
export const reopenTrackJournal = (files: TrackFiles, state: TrackState): TrackJournal =>
  openJournal(files.journal, state)

/** Begins the journal of a new run. */
export function newTrackJournal(
  files: TrackFiles,
  given: Pick<
    TrackState,
    'url' | 'start' | 'outputRepo' | 'cwd' | 'argv' | 'sources' | 'eventFolders' | 'systemEveryMs'
  > &
    Partial<Pick<TrackState, 'watchEvents'>>,
): TrackJournal {
  const { url, ...rest } = given
  const state: TrackState = {
    ...newState({ runId: '', url, attempt: 0 }),
    watchEvents: false,
    ...rest,
    createdAt: Date.now(),
    started: false,
    claimKey: null,
    target: null,
    environmentSent: false,
    media: { bytes: 0, pushed: 0, run: null },
    foundEvents: [],
    artifacts: { bytes: 0, making: null },
    words: {},
    commands: 0,
    gaveUp: null,
  }
  return openJournal(files.journal, state)
}
