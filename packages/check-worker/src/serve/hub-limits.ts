/**
 * A verdict within what the hub takes: a hostile model must not make the hub refuse what was found about it. Pure.
 * Spec, "POST /v1/robot-checks/{check_id}/report".
 */
import { ExactNumber, isJsonObject } from '@hub/formats/exact-json'
import { freeFormFaults } from '@hub/formats/free-form-faults'
import type { Need } from '../request.ts'

interface Most {
  /** UTF-16 code units. */
  readonly text: number
  readonly items: number
}

/** The first that makes a report fit. The hub takes these of one member, and 8 MiB in sum. */
const tiers: readonly Most[] = [
  { text: 65_536, items: 10_000 },
  { text: 4_000, items: 1_000 },
  { text: 200, items: 100 },
]
/** The rest of the 8 MiB is for the members next to. */
const MAX_REPORT_BYTES = 7 * 1024 * 1024

/**
 * Objects that the hub keeps as they are: a part of one would say something else, so one that it would refuse is left
 * out.
 */
const free: ReadonlySet<string> = new Set(['data', 'model', 'conversion', 'manifest', 'graph'])

const shortText = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`.toWellFormed()

/** Long texts and lists cut, as far as needed. */
export function withinHubLimits(body: object): object {
  const last = tiers.at(-1)
  for (const most of tiers) {
    const fitted = fit(body, most) as object
    if (most === last || Buffer.byteLength(JSON.stringify(fitted)) <= MAX_REPORT_BYTES) return fitted
  }
  return body
}

function fit(value: unknown, most: Most): unknown {
  if (typeof value === 'string') return shortText(value, most.text)
  if (Array.isArray(value)) return value.slice(0, most.items).map((item) => fit(item, most))
  if (value instanceof ExactNumber || !isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, free.has(name) ? keepable(member, most) : fit(member, most)]),
  )
}

/** The `model` of a report has lists of names; that of a draft is free. */
function keepable(value: unknown, most: Most): unknown {
  const short = fit(value, most)
  return isJsonObject(short) && freeFormFaults(short).length > 0 ? null : short
}

const MAX_NEEDS = 1_000
/** Of joints or files: more say no more to a person. */
const MAX_NEED_NAMES = 200
const MAX_NEEDS_BYTES = 512 * 1024

/** As many as the hub reads in one card, in their order; of too many the blocking ones stay. */
export function needsWithinLimits(needs: readonly Need[]): Need[] {
  const ranked = [...needs.entries()].toSorted(([, a], [, b]) => Number(isBlocking(b)) - Number(isBlocking(a)))
  const kept: [number, Need][] = []
  let left = MAX_NEEDS_BYTES
  for (const [at, one] of ranked.slice(0, MAX_NEEDS)) {
    const short = shortNeed(one)
    left -= Buffer.byteLength(JSON.stringify(short))
    if (left < 0 && kept.length > 0) break
    kept.push([at, short])
  }
  return kept.toSorted(([a], [b]) => a - b).map(([, one]) => one)
}

const isBlocking = ({ severity }: Need) => severity === 'blocking'

function shortNeed({ field, severity, why, names, suggestion }: Need): Need {
  return {
    field: shortText(field, 256),
    severity,
    why: shortText(why, 4_000),
    names: names.slice(0, MAX_NEED_NAMES).map((name) => shortText(name, 1_024)),
    suggestion: suggestion && shortText(suggestion, 4_000),
  }
}
