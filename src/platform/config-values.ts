/** Parsers for single environment values. Messages name the expected format, never the value, which may be a secret. */
import { isIP } from 'node:net'
import { handleText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { type IdRange, rangeText } from './unix-user.ts'

/** A boolean. */
export const flag = z
  .enum(['1', '0', 'true', 'false', 'yes', 'no'])
  .transform((word) => word === '1' || word === 'true' || word === 'yes')

/** A whole number within bounds. */
export const whole = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max))

/** At most four decimals, the precision of money and quotas. */
export const decimal = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}(?:\.\d{1,4})?$/, 'must be a number of at most four decimals')
    .transform(Number)
    .pipe(z.number().max(max))

const itemsOf = (list: string) =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** Comma-separated items. */
export const commaList = (items: z.ZodType<string[], string[]>) => z.string().transform(itemsOf).pipe(items)

/** Handles, or `*` for everyone. */
export const handles = commaList(z.array(z.union([z.literal('*'), handleText])))

/** A Unix user name. */
export const userName = z.string().regex(/^[A-Za-z_][\w.-]*\$?$/, 'must be a user name')

/**
 * The least and the greatest id that a call may have: below are accounts of the system, above are numbers that many
 * programs do not take.
 */
const CALL_IDS: IdRange = { first: 1000, last: 2 ** 31 - 1 }
/** Ids that systemd assigns to services, that of `nobody`, and the 16-bit value for "none". */
const SYSTEMD_IDS: IdRange = { first: 61_184, last: 65_535 }

/** Uids of calls, `first-last`; null for `off`. */
export const idRange = z.string().transform((text, context): IdRange | null => {
  if (text === 'off') return null
  const [, first, last] = /^(\d{1,10})-(\d{1,10})$/.exec(text)?.map(Number) ?? []
  if (first === undefined || last === undefined || first > last || first < CALL_IDS.first || last > CALL_IDS.last)
    context.addIssue(`must be a range of ids from ${CALL_IDS.first} on, or off: 70000-79999`)
  else if (first <= SYSTEMD_IDS.last && last >= SYSTEMD_IDS.first)
    context.addIssue(`must not have ids of ${rangeText(SYSTEMD_IDS)}, which systemd gives to services`)
  else return { first, last }
  return z.NEVER
})

/** The token that a client sends after `Bearer`. */
export const bearerToken = z
  .string()
  .min(16, 'must have at least 16 characters')
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')

export const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })

/** Origins as browsers send them; anything else would silently match no request. */
export const origins = z
  .string()
  .transform(itemsOf)
  .refine((items) => items.every((item) => URL.canParse(item) && isOrigin(item)), {
    error:
      'must be comma-separated origins with scheme and without path: http://localhost:3000, https://app.example.org',
  })

function isOrigin(text: string): boolean {
  const { protocol, origin } = new URL(text)
  return /^https?:$/.test(protocol) && origin === text
}

/** The number of proxies in front of the hub (0 for none), or their addresses. */
export type TrustProxy = number | readonly string[]

const MAX_HOPS = 32

/** A hop count, or comma-separated addresses and CIDR ranges. */
export const proxies = z.string().transform((text, context): TrustProxy => {
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_HOPS) return Number(text)
  const items = itemsOf(text)
  if (items.length > 0 && items.every(isRange)) return items
  context.addIssue('must be the number of hops (proxies in front of the hub), or their addresses: 1, or 10.0.0.0/8,::1')
  return z.NEVER
})

function isRange(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128)
}
