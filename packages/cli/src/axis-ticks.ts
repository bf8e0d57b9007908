/** The marks of an axis of a chart and their numbers. Pure. */

/** What an axis spans, and the values that it marks. */
export interface Axis {
  readonly low: number
  readonly high: number
  readonly marks: readonly number[]
  readonly label: (value: number) => string
}

/** Marks that a decade has on a logarithmic axis of less than two decades. */
const WITHIN_DECADE = [1, 2, 5]

/** A linear axis of the values, with round marks; at most about `count` intervals. */
export function linearAxis(least: number, greatest: number, count: number): Axis {
  if (least === greatest) return axisOfOne(least, Math.abs(least) / 2 || 1)
  // A single mark shows no scale: then twice as many.
  const [few, many] = [linearMarks(least, greatest, count), linearMarks(least, greatest, 2 * count)]
  return axisOf(least, greatest, few.marks.length < 2 ? many : few)
}

function linearMarks(least: number, greatest: number, count: number): Pick<Axis, 'marks' | 'label'> {
  // Halved first: the distance between two doubles may be no double.
  const step = roundStep((greatest / 2 - least / 2) / (Math.max(1, count) / 2))
  const first = Math.ceil(least / step)
  const marks = Array.from({ length: Math.floor(greatest / step) - first + 1 }, (_, at) => (first + at) * step)
  // A step of 20 has no decimals, one of 0.05 two.
  const decimals = step < 1e-6 ? null : Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return { marks, label: (value) => plainNumber(value, decimals) }
}

/** A logarithmic axis of values above 0; at most about `count` intervals. */
export function logAxis(least: number, greatest: number, count: number): Axis {
  if (least === greatest) return axisOfOne(least, least / 2)
  const from = Math.floor(Math.log10(least))
  const to = Math.ceil(Math.log10(greatest))
  const every = Math.max(1, Math.ceil((to - from) / Math.max(1, count)))
  const digits = to - from > 2 ? [1] : WITHIN_DECADE
  const decades = Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, at) => from + at * every)
  const marks = decades.flatMap((exponent) => digits.map((digit) => power(exponent, digit)))
  return axisOf(least, greatest, { marks, label: (value) => plainNumber(value) })
}

/** With the ends in place of the marks where these are too few to read a scale from. */
function axisOf(low: number, high: number, { marks, label }: Pick<Axis, 'marks' | 'label'>): Axis {
  const within = marks.filter((value) => value >= low && value <= high)
  return within.length < 2
    ? { low, high, marks: [low, high], label: (value) => plainNumber(value) }
    : { low, high, marks: within, label }
}

/** One value is in the middle of its axis and its only mark. */
const axisOfOne = (value: number, margin: number): Axis => ({
  low: Math.max(-Number.MAX_VALUE, value - margin),
  high: Math.min(Number.MAX_VALUE, value + margin),
  marks: [value],
  label: (value) => plainNumber(value),
})

// As text, since 10 ** -5 is not quite 1e-5.
const power = (exponent: number, digit = 1) => Number(`${digit}e${exponent}`)

/** The least of 1, 2, 5, 10, 20 … that is `least` or more. */
function roundStep(least: number): number {
  const exponent = Math.floor(Math.log10(least))
  for (const digit of [1, 2, 5]) if (power(exponent, digit) >= least * (1 - 1e-9)) return power(exponent, digit)
  return power(exponent + 1)
}

/** A number as a person writes it; with an exponent only where it would have many zeros. */
export function plainNumber(value: number, decimals: number | null = null): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 1e9 && decimals !== null) return value.toFixed(decimals)
  return size < 1e9 && size >= 1e-5
    ? String(Number(value.toPrecision(5)))
    : value.toExponential(4).replace(/\.?0*e\+?/, 'e')
}
