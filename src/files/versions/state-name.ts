/** Names of the states of a repo in requests: `at`, `from` and `to`. */

import { isId } from '@hub/formats/ids'
import { z } from 'zod'
import { readTime } from '../../platform/rfc3339.ts'

/** A change number, a time, a run that pinned the state, or a snapshot. */
export type StateName =
  | { readonly kind: 'seq'; readonly seq: number }
  | { readonly kind: 'time'; readonly time: string }
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'snapshot'; readonly name: string }

const MAX_SEQ = 2_147_483_646

/** Begins with a letter and not with `run_`, so that no name is a number, a time or a run id. */
const SNAPSHOT_NAME = /^(?!run_)[a-z][a-z0-9._-]{0,63}$/i

export const snapshotNameText = z
  .string()
  .regex(
    SNAPSHOT_NAME,
    'must be 1 to 64 letters, digits and ._-, starting with a letter, and not with run_: a state is also named ' +
      'by a number, a time or a run',
  )

/**
 * The state that a text names. Only digits are a change number, `run_…` is a run, an RFC 3339 time is a time, and
 * anything else is a snapshot. Null if the text is none of these.
 */
export function parseState(text: string): StateName | null {
  if (/^\d+$/.test(text)) return Number(text) <= MAX_SEQ ? { kind: 'seq', seq: Number(text) } : null
  if (/^run_/i.test(text)) return isId('run', text) ? { kind: 'run', runId: text } : null
  const time = readTime(text)
  if (time !== null) return { kind: 'time', time }
  return SNAPSHOT_NAME.test(text) ? { kind: 'snapshot', name: text } : null
}

/** `at` of a request, as text. */
export const stateText = z
  .string()
  .max(64)
  .refine(
    (text) => parseState(text) !== null,
    'must be a change number (12), an RFC 3339 time (2026-01-31T09:30:00Z), the id of a run that uses the repo ' +
      'as dataset, or the name of a snapshot',
  )

/** The number of a change; 0 is the empty repo. */
export const seqNumber = z.number().int().min(0).max(MAX_SEQ)
