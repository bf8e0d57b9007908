/** Bytes, numbers, money, times and durations as people read them. Pure. */

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** `1_500_000` is `1.5 MB`. */
export function bytes(count: number): string {
  let power = 0
  // What would be rounded to 1000 of a unit is 1.0 of the next.
  while (power < units.length - 1 && Math.round(count / 1000 ** power) >= 1000) power += 1
  const value = count / 1000 ** power
  return `${power > 0 && value < 99.95 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}

export const count = (value: number): string => value.toLocaleString('en-US')

/** A measured amount with four significant digits: `1.5625182` is `1.563`. From 1e15 on, and below 1e-9, with a power. */
export function rounded(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size > 0 && size < 1e-9)) return String(Number(value.toPrecision(4)).toExponential())
  return Number(value.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 20 })
}

/** "1 session", "2,000 sessions". */
export const counted = (value: number, one: string): string => `${count(value)} ${one}${value === 1 ? '' : 's'}`

/** Amounts come as decimal strings: `"12.5"` is `$12.50`, and what is below a dollar keeps four digits. */
export function money(amount: string | number | null | undefined): string {
  if (amount === null || amount === undefined) return '–'
  const value = Number(amount)
  const size = Math.abs(value)
  if (size > 0 && size < 0.00005) return 'under $0.0001'
  const digits = size.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: size < 1 ? 4 : 2 })
  return `${value < 0 ? '-' : ''}$${digits}`
}

/** `3723` is `1 h 2 min`. */
export function duration(exact: number): string {
  const seconds = Math.max(0, Math.round(exact))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** `2 hours ago`, from an ISO time. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000
  for (const [unit, size] of steps)
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  return 'just now'
}

/** `QUEUED_FOR_WORK` is `queued for work`. */
export const words = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

/** The same at the beginning of a heading. */
export const heading = (name: string): string => {
  const text = words(name)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Who executes a job: no one is awaited for one that the hub executes itself. */
export const claimer = ({
  claimedBy,
  executor,
}: {
  readonly claimedBy: string | null
  readonly executor: 'WORKER' | 'HOSTED' | null
}): string => claimedBy ?? (executor === 'HOSTED' ? 'the hub' : 'none yet')
