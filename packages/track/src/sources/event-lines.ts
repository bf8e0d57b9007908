/** Scalars of event files as lines of metrics. */
import { exactNumber, writeExact } from '@hub/formats/exact-json'
import type { EventRecord } from '@hub/tensorboard'
import type { SpooledLine } from '../spool.ts'

/** Values of one line. */
const MAX_VALUES = 500

/** Collects records as lines. Neighbors of one step share a line: many writers have a record for each tag. */
export function linesOf(prefix: string) {
  const lines: SpooledLine[] = []
  let open: { readonly step: number | bigint; readonly values: Map<string, unknown>; to: number } | null = null

  function close(): void {
    if (open === null) return
    const { step, values, to } = open
    lines.push({ to, text: writeExact(Object.fromEntries([['step', inJson(step)], ...values])) })
    open = null
  }

  return {
    add(record: EventRecord) {
      const values = scalarsOf(record, prefix)
      const isNeighbor =
        open !== null &&
        (values.size === 0 || (open.step === record.step && open.values.size + values.size <= MAX_VALUES)) &&
        ![...values.keys()].some((key) => open?.values.has(key))
      if (!isNeighbor) close()
      if (open !== null) {
        for (const [key, value] of values) open.values.set(key, value)
        open.to = record.offset
      } else if (values.size > 0) open = { step: record.step, values, to: record.offset }
      else lines.push({ to: record.offset, text: '' })
    },
    count: () => lines.length,
    take(): SpooledLine[] {
      close()
      return lines.splice(0)
    },
  }
}

/** By name. A record is one line whatever it holds, so that no kill comes between its values. */
function scalarsOf({ values }: EventRecord, prefix: string): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const value of values) {
    const key = `${prefix}${value.tag}`
    // A scalar of this name would hide the step of the event.
    if (value.kind === 'scalar' && key !== 'step') found.set(key, inJson(value.value))
  }
  return found
}

/** With all digits; JSON has neither NaN nor infinities. */
function inJson(value: number | bigint): unknown {
  if (typeof value === 'bigint') return exactNumber(String(value))
  return Number.isFinite(value) ? value : null
}
