/** Amounts as people read them. */

/** Bytes with three significant digits, in powers of 1,000. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return unit === 0 ? `${value} B` : `${Number(value.toPrecision(3))} ${units[unit]}`
}

/** A count with its noun, in the plural where needed. */
export function countText(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`
}
