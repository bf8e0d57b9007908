/** Exact money: scaled integers, never binary floats. Amounts and rates have four decimals. */

/** `units` x 10^-`scale`. */
interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** An amount or rate in US dollars with four decimals, as PostgreSQL's numeric(…, 4) reads and writes it: `0.7992`. */
export type Usd = string

const USD_SCALE = 4
const SECONDS_PER_HOUR = 3600n
const shape = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i

/** A number means the shortest decimal that parses back to it: 0.1 is exactly a tenth. */
function decimalOf(value: string | number): Decimal {
  const match = shape.exec(String(value))
  if (!match) throw new Error(`${value} is not a decimal number.`)
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const units = BigInt(`${sign}${whole}${fraction}`)
  const scale = fraction.length - Number(exponent)
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale }
}

/** Divides and rounds half away from zero, as PostgreSQL's round(numeric) does. */
function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor / 2n : divisor / 2n
  return (dividend + half) / divisor
}

/** Divides and rounds up, toward plus infinity. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend > quotient * divisor ? quotient + 1n : quotient
}

/** Divides and rounds down, toward minus infinity. */
const divideDown = (dividend: bigint, divisor: bigint): bigint => -divideUp(-dividend, divisor)

type Divide = (dividend: bigint, divisor: bigint) => bigint

function usdUnits({ units, scale }: Decimal, divide: Divide = divideRounded): bigint {
  return scale <= USD_SCALE ? units * 10n ** BigInt(USD_SCALE - scale) : divide(units, 10n ** BigInt(scale - USD_SCALE))
}

function usdText(units: bigint): Usd {
  const digits = String(units < 0n ? -units : units).padStart(USD_SCALE + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -USD_SCALE)}.${digits.slice(-USD_SCALE)}`
}

/** A number or decimal text as dollars: rounded to four decimals. */
export function usd(value: string | number): Usd {
  return usdText(usdUnits(decimalOf(value)))
}

/** A limit that nothing may pass, as dollars: rounded down, so that the text is no more than was asked. */
export function usdLimit(value: string | number): Usd {
  return usdText(usdUnits(decimalOf(value), divideDown))
}

/** The sum of amounts or of rates. */
export function usdSum(...amounts: readonly Usd[]): Usd {
  return usdText(amounts.reduce((sum, amount) => sum + usdUnits(decimalOf(amount)), 0n))
}

/** The smaller of two amounts. */
export function usdLess(amount: Usd, other: Usd): Usd {
  return usdUnits(decimalOf(amount)) <= usdUnits(decimalOf(other)) ? amount : other
}

/** Rate x hours, exactly. */
function productOf(rateUsdPerHour: Usd, hours: string | number): Decimal {
  const rate = decimalOf(rateUsdPerHour)
  const time = decimalOf(hours)
  return { units: rate.units * time.units, scale: rate.scale + time.scale }
}

function ofSeconds(rateUsdPerHour: Usd, seconds: string | number, divide: Divide): Usd {
  const { units, scale } = productOf(rateUsdPerHour, seconds)
  return usdText(divide(units * 10n ** BigInt(USD_SCALE), SECONDS_PER_HOUR * 10n ** BigInt(scale)))
}

/**
 * The cost of a number of hours: the exact product, rounded once. For expected costs; what a job can cost at most is
 * `mostOfHours`.
 */
export function costOfHours(rateUsdPerHour: Usd, hours: string | number): Usd {
  return usdText(usdUnits(productOf(rateUsdPerHour, hours)))
}

/**
 * The cost of a number of seconds: the exact quotient, rounded once. Used for billing, live display and budget checks.
 */
export function costOfSeconds(rateUsdPerHour: Usd, seconds: string | number): Usd {
  return ofSeconds(rateUsdPerHour, seconds, divideRounded)
}

/**
 * The most that so many hours can cost: rounded up, so that `costOfSeconds` of no shorter time is more. For estimates
 * and reservations.
 */
export function mostOfHours(rateUsdPerHour: Usd, hours: string | number): Usd {
  return usdText(usdUnits(productOf(rateUsdPerHour, hours), divideUp))
}

/** The most that so many seconds can cost, rounded up. */
export function mostOfSeconds(rateUsdPerHour: Usd, seconds: string | number): Usd {
  return ofSeconds(rateUsdPerHour, seconds, divideUp)
}
