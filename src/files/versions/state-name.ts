/** Names of the states of a repo in requests: `at`, `from` and `to`. */

import { isId } from '@hub/formats/ids'
import { z } from 'zod'
import { readTime } from '../../platform/rfc3339.ts'

/** A change number, a time, a run that pinned the state, a commit id, or a snapshot. */
export type StateName =
  | { readonly kind: 'seq'; readonly seq: number }
  | { readonly kind: 'time'; readonly time: string }
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'commit'; readonly commitId: string }
  | { readonly kind: 'snapshot'; readonly name: string }

const MAX_SEQ = 2_147_483_646

const COMMIT_ID = /^[0-9a-f]{40}$/

/** Begins with a letter and not with `run_`, and is not a commit id: no such name is a number, a time or another id. */
const PLAIN_NAME = /^(?!run_|[0-9a-f]{40}$)[a-z][a-z0-9._-]{0,63}$/i

/** Stands before a name that begins with a digit: alone, that would be a change number, or nothing. */
const PREFIX = 'snapshot:'

/** Any name, in the only form that names all of them. `repo_snapshots_name_form` is the same rule. */
const PREFIXED_NAME = /^snapshot:(?!run_)[a-z0-9][a-z0-9._-]{0,63}$/i

export const snapshotNameText = z
  .string()
  .refine(
    (text) => PLAIN_NAME.test(text) || PREFIXED_NAME.test(text),
    'must be 1 to 64 letters, digits and ._-, starting with a letter, and not with run_: a state is also named by a ' +
      'number, a time, a run or a commit id. A name that starts with a digit is written snapshot:005000',
  )

/** The name of a snapshot as it is stored: without the prefix that may stand before it. */
export const storedSnapshotName = (text: string) => (text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text)

/** SQL for the name of a snapshot as it is written in requests; `name` is SQL for the stored one. */
export const writtenSnapshotName = (name: string) =>
  `case when ${name} ~* '^[a-z]' and ${name} !~ '^[0-9a-f]{40}$' then ${name} else '${PREFIX}' || ${name} end`

/**
 * The state that a text names. `snapshot:NAME` is a snapshot, 40 hex digits are a commit id, other digits a change
 * number, `run_…` is a run, an RFC 3339 time is a time, and anything else is a snapshot. Null if the text is none of
 * these.
 */
export function parseState(text: string): StateName | null {
  if (PREFIXED_NAME.test(text)) return { kind: 'snapshot', name: storedSnapshotName(text) }
  if (COMMIT_ID.test(text)) return { kind: 'commit', commitId: text }
  if (/^\d+$/.test(text)) return Number(text) <= MAX_SEQ ? { kind: 'seq', seq: Number(text) } : null
  if (/^run_/i.test(text)) return isId('run', text) ? { kind: 'run', runId: text } : null
  const time = readTime(text)
  if (time !== null) return { kind: 'time', time }
  return PLAIN_NAME.test(text) ? { kind: 'snapshot', name: text } : null
}

/** `at` of a request, as text. */
export const stateText = z
  .string()
  .max(PREFIX.length + 64)
  .refine(
    (text) => parseState(text) !== null,
    'must be a change number (12), an RFC 3339 time (2026-01-31T09:30:00Z), the id of a run that uses the repo ' +
      'as dataset, a commit id (40 hex digits), or the name of a snapshot (v1, snapshot:005000)',
  )

/** The number of a change; 0 is the empty repo. */
export const seqNumber = z.number().int().min(0).max(MAX_SEQ)
