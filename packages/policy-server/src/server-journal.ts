/**
 * What a killed server has to know when it is started again: its claim, its meters, and the sessions that must not come
 * back.
 */
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '@hub/runner/worker/growing-file'
import { type Journal, openJournal, readJournal } from '@hub/runner/worker/journal'
import { z } from 'zod'

const session = z.object({
  id: z.string(),
  expiresAtMs: z.number(),
  chunks: z.number(),
  seconds: z.number(),
  times: z.array(z.number()),
  closedReason: z.string().nullable(),
})

const shape = z.object({
  endpoint: z.string(),
  /** Only the same credential of the same hub may report. */
  hub: z.string(),
  credential: z.string(),
  /** The claim as it was asked, so that a repeat is answered as the first one. */
  key: z.string(),
  worker: z.string(),
  url: z.string(),
  isClaimed: z.boolean(),
  book: z.object({ sessions: z.array(session), closed: z.array(z.tuple([z.string(), z.number()])) }),
  /** How it ended, until the hub has been told. */
  ending: z.object({ status: z.enum(['stopped', 'failed']), error: z.string().nullable() }).nullable(),
})
export type ServerState = z.output<typeof shape>

/** Who claims. */
export type Claimer = Pick<ServerState, 'hub' | 'credential' | 'worker' | 'url'>

const fileOf = (workDir: string, endpoint: string) => join(workDir, `${endpoint}.json`)
export const lockOf = (workDir: string, endpoint: string) => join(workDir, `${endpoint}.lock`)
export const journalFile = fileOf

/** The journal of an endpoint: that of an earlier process of the same claimer, else a new one with a claim to make. */
export function openServerJournal(workDir: string, endpoint: string, claimer: Claimer): Journal<ServerState> {
  const file = fileOf(workDir, endpoint)
  const before = readJournal(file, shape)
  if (before && isOf(claimer, before)) return openJournal(file, before)
  const book = { sessions: [], closed: [] }
  return openJournal(file, {
    ...claimer,
    endpoint,
    key: randomUUID(),
    isClaimed: false,
    book,
    ending: null,
  } as ServerState)
}

/** Endpoints that an earlier process of this claimer has not ended. */
export async function unfinishedEndpoints(workDir: string, claimer: Claimer): Promise<readonly string[]> {
  const names = (await readdir(workDir).catch(nullIfMissing)) ?? []
  return names.flatMap((name) => {
    const state = /^ep_[a-z0-9]+\.json$/.test(name) ? readJournal(join(workDir, name), shape) : null
    return state && isOf(claimer, state) ? [state.endpoint] : []
  })
}

const isOf = (claimer: Claimer, state: ServerState) =>
  state.hub === claimer.hub && state.credential === claimer.credential
