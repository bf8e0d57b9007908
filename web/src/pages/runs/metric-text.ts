/** Below this a number is shown as `1.5e-7`: in decimals its first digits would be lost among zeros. */
const SMALL = 1e-4
const LARGE = 1e9

/** A value of a metric with four significant digits: `0.0001`, `1.5e-7`, `12,350`. */
export function metricText(value: number): string {
  const short = Number(value.toPrecision(4))
  const size = Math.abs(short)
  if (size !== 0 && (size < SMALL || size >= LARGE)) return short.toExponential()
  return short.toLocaleString('en-US', { maximumFractionDigits: 20 })
}
