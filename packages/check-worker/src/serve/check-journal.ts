/**
 * The on-disk state of one check, from which a restarted worker continues. Each report in flight has its
 * Idempotency-Key here before it is sent.
 */
import { readFileSync } from 'node:fs'
import { claimedCheck } from '@hub/client/check-shapes'
import type { ClaimedCheck } from '@hub/client/internal'
import { parseExact, writeExact } from '@hub/formats/exact-json'
import { type Claim, claimShape } from '@hub/runner/worker/claim-file'
import { type Journal, readJournal } from '@hub/runner/worker/journal'
import { z } from 'zod'
import type { CheckFiles } from './check-files.ts'

const whole = z.number().int().min(0)

const shape = z.object({
  checkId: z.string(),
  url: z.string(),
  credential: z.string(),
  /** How it was claimed: a repeat signs the URLs of its sources again. */
  claim: claimShape,
  /** Bytes of the log that were reported. */
  logged: whole,
  /** The log chunk in flight, or whose response is unknown: up to which byte. */
  sending: z.object({ to: whole, key: z.string() }).nullable(),
  /** The verdict is on disk. */
  judged: z.boolean(),
  /** The artifacts of the verdict are in the store. */
  sent: z.boolean(),
  /** The last report, once decided. */
  ending: z
    .object({ status: z.enum(['succeeded', 'failed']), error: z.string().nullable(), key: z.string() })
    .nullable(),
  /** It was answered, or the claim was lost. */
  done: z.boolean(),
})
export type CheckState = z.output<typeof shape>
export type CheckJournal = Journal<CheckState>

/** The stored state of a check; null if the file is missing or unreadable. */
export const readCheckState = (file: string): CheckState | null => readJournal(file, shape)

/** The state before anything was reported. */
export function newCheckState(check: Pick<CheckState, 'checkId' | 'url' | 'credential' | 'claim'>): CheckState {
  return { ...check, logged: 0, sending: null, judged: false, sent: false, ending: null, done: false }
}

/** A check that this worker holds. */
export interface HeldCheck {
  readonly check: ClaimedCheck
  readonly claim: Claim
  /** Whether its URLs were signed just now. */
  readonly isFresh: boolean
}

/** Without URLs, which are secrets for an hour and useless later. */
export function checkText(check: ClaimedCheck): string {
  const sources = (check.sources ?? []).map((source) => ({ ...source, url: '' }))
  const artifacts = check.artifacts.map(({ path, size }) => ({ path, size }))
  return writeExact({ ...check, sources, artifacts })
}

/** The check that a worker kept. */
export function keptCheck(files: CheckFiles): ClaimedCheck {
  return claimedCheck.parse(parseExact(readFileSync(files.check, 'utf8')))
}
