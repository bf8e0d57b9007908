/** Lines of metrics as text that reads well: the step first, and each metric below itself. */
import { asDouble, writeExact } from '@hub/formats/exact-json'
import { stepKeys } from './metric-points.ts'
import { shortNumber } from './run-output.ts'
import { inLine } from './terminal.ts'

/** Characters of a number at first: most have no more, so that lines seldom move. */
const NUMBER_WIDTH = 9
/** A number of no more characters, and a whole one, stands as it was reported. */
const SHORT = 8
const STEP_WIDTH = 6
/** Characters of a text or an object; `--json` has all of it. */
const MOST_OF_TEXT = 40

/**
 * Formats one line after the other. A metric is as wide as its widest value so far, so that lines with the same metrics
 * are columns. No place is left for one that a line has not: those of the machine come in lines of their own.
 */
export function metricLines(): (line: Readonly<Record<string, unknown>>) => string {
  const widths = new Map<string, number>()
  let stepWidth = STEP_WIDTH
  return (line) => {
    const stepKey = stepKeys.find((key) => asDouble(line[key]) !== null)
    const step = stepKey === undefined ? '' : `step ${textOf(line[stepKey])}`
    stepWidth = Math.max(stepWidth, step.length)
    const parts = new Map<string, string>()
    for (const [key, value] of Object.entries(line)) {
      if (key === stepKey) continue
      const text = inLine(textOf(value))
      const width = Math.max(widths.get(key) ?? NUMBER_WIDTH, text.length)
      widths.set(key, width)
      parts.set(key, `${inLine(key)} ${text.padEnd(width)}`)
    }
    // In the order in which they came first.
    const shown = [...widths.keys()].flatMap((key) => parts.get(key) ?? [])
    return [step.padEnd(stepWidth), ...shown].join('  ').trimEnd()
  }
}

function textOf(value: unknown): string {
  const number = asDouble(value)
  if (number !== null) {
    const exact = String(value)
    return exact.length <= SHORT || /^-?\d+$/.test(exact) ? exact : shortNumber(number)
  }
  const text = typeof value === 'string' ? value : writeExact(value)
  return text.length > MOST_OF_TEXT ? `${text.slice(0, MOST_OF_TEXT - 1)}…` : text
}
