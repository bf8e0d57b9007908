/** The validation record of a card that a check drafted without one. Pure. Spec, "RobotValidationRecord". */

import { isJsonObject } from '@hub/formats/exact-json'
import { readCard } from '@hub/robot-card/read-card'
import type { Document } from '../check-parts.ts'

/** The parts of a check that a record is made of. */
export interface CheckFindings {
  readonly id: string
  readonly report: Document | null
  /** What the worker said of its engine: free-form, with a `name` and a `version` by convention. */
  readonly engine: Document | null
  /** RFC 3339. */
  readonly finishedAt: string | null
}

/** What a card takes at most; a report may be longer. */
const MAX_WORD = 64
const MAX_NAME = 1024
const MAX_SENTENCE = 10_000

/**
 * The card with a record of the check's report. A card that has a record keeps it, since its worker knows more. Texts
 * are cut to what a card takes; a record with which the card would be too large is left out, so that it never keeps a
 * card from being published.
 */
export function stampedCard(card: Document, check: CheckFindings): Document {
  if (card.validation != null) return card
  const validation = recordOf(check)
  if (validation === null) return card
  const stamped = { ...card, validation }
  return readCard(stamped).card !== null || readCard(card).card === null ? stamped : card
}

function recordOf({ id, report, engine, finishedAt }: CheckFindings): Document | null {
  const name = wordOf(report?.engine) ?? wordOf(engine?.name)
  if (report === null || name === null || finishedAt === null) return null
  const checks = Array.isArray(report.checks) ? report.checks.filter(isJsonObject) : []
  return {
    engine: name,
    engine_version: wordOf(engine?.version),
    checked_at: finishedAt,
    checks: checks.map(foundOf),
    check_id: id,
  }
}

function foundOf({ code, status, message, names, hint, loc, data }: Document): Document {
  return {
    code,
    status,
    message: cut(message, MAX_SENTENCE),
    names: listOf(names),
    hint: cut(hint ?? null, MAX_SENTENCE),
    loc: Array.isArray(loc) ? listOf(loc) : null,
    data: data ?? null,
  }
}

const wordOf = (value: unknown) => (typeof value === 'string' && value !== '' ? cut(value, MAX_WORD) : null)
const listOf = (list: unknown) => (Array.isArray(list) ? list.map((item: unknown) => cut(item, MAX_NAME)) : [])

/** Texts alone; never between the two halves of a character. */
function cut(value: unknown, length: number): unknown {
  if (typeof value !== 'string' || value.length <= length) return value
  return value.slice(0, /[\ud800-\udbff]/.test(value[length - 1] ?? '') ? length - 1 : length)
}
