/**
 * The numbers of errors: of a limit that a request met, and when to try again. Both dialects show what this table says,
 * under the same names. Pure.
 */
import type { errorTable } from './error-table.ts'

type ErrorType = keyof typeof errorTable

/** What the code that throws knows. What is left follows from it, as do the headers of `/v1`. */
export interface LimitFacts {
  /** Which limit, where several have one type; `errors[0].limit` has it too. */
  readonly name?: string
  /** What is counted, where the type of the error does not say it. */
  readonly unit?: string
  readonly limit?: number | undefined
  /**
   * What counts now, with what is reserved; of a limit for one request, what that has. Null where counting stopped at
   * the limit.
   */
  readonly used?: number | null
  /** Rounded up to whole seconds, at least one. */
  readonly retryAfterS?: number
  /** RFC 3339. */
  readonly resetsAt?: string
}

/** Members of a Problem, absent where they are not known. */
export interface LimitMembers {
  readonly unit?: string | undefined
  readonly limit?: number | undefined
  readonly used?: number | undefined
  /** Never less than 0. */
  readonly left?: number | undefined
  readonly retry_after_s?: number | undefined
  readonly resets_at?: string | undefined
}

interface LimitKind {
  /** Null where the code that throws says it. */
  readonly unit: string | null
  /** What its Problem has besides `unit`. `used` and `left` may be unknown for types without a unit of their own. */
  readonly members: readonly Exclude<keyof LimitMembers, 'unit'>[]
  /** The headers in which `/v1` has members as well; `Retry-After` has `retry_after_s` for every type. */
  readonly headers?: { readonly [Member in 'limit' | 'used']: string }
}

const quota = ['limit', 'used', 'left'] as const

/** Types of errors about a limit. */
export const limitKinds = {
  'validation.limit': { unit: null, members: ['limit', 'used'] },
  'limit.cost': { unit: null, members: ['limit', 'used'] },
  too_large: { unit: null, members: ['limit', 'used'] },
  'too_large.headers': { unit: 'bytes', members: ['limit'] },
  'rate.limited': { unit: null, members: [...quota, 'retry_after_s'] },
  'quota.storage': { unit: 'bytes', members: quota },
  'quota.uploads': { unit: 'uploads', members: quota },
  'quota.invitations': { unit: 'invitations', members: quota },
  'quota.orgs': { unit: 'orgs', members: quota },
  'quota.passkeys': { unit: 'passkeys', members: quota },
  'quota.snapshots': { unit: 'snapshots', members: quota },
  'quota.films': { unit: 'films', members: quota },
  'quota.gpu_hours': {
    unit: 'gpu_hours',
    members: [...quota, 'retry_after_s'],
    headers: { limit: 'X-GPU-Quota-Limit', used: 'X-GPU-Quota-Used' },
  },
  'quota.robot_checks': {
    unit: 'checks',
    members: [...quota, 'retry_after_s'],
    headers: { limit: 'X-Robot-Check-Quota-Limit', used: 'X-Robot-Check-Quota-Used' },
  },
  'quota.spend_cap': { unit: 'usd', members: [...quota, 'retry_after_s', 'resets_at'] },
  'quota.spend_holds': { unit: 'holds', members: [...quota, 'retry_after_s'] },
  'conflict.sessions_full': { unit: 'sessions', members: quota },
  'forbidden.hosted_allowance': { unit: 'usd', members: [...quota, 'resets_at'] },
} as const satisfies Partial<Record<ErrorType, LimitKind>>

export type LimitType = keyof typeof limitKinds

/** The row of a type of error; undefined for a type that is about no limit. */
export const limitKindOf = (type: string): LimitKind | undefined =>
  Object.hasOwn(limitKinds, type) ? limitKinds[type as LimitType] : undefined

/** Of a type that is about no limit. */
const plainMembers: LimitKind['members'] = ['retry_after_s']

/** The members that a Problem of this type has of these facts. */
export function limitMembers(type: ErrorType, { limit, used, retryAfterS, resetsAt, ...facts }: LimitFacts) {
  const kind = limitKindOf(type)
  const known: LimitMembers = {
    limit: limit === undefined ? undefined : exact(limit),
    used: typeof used === 'number' ? exact(used) : undefined,
    left: typeof used === 'number' && limit !== undefined ? Math.max(0, exact(limit - used)) : undefined,
    retry_after_s: retryAfterS === undefined ? undefined : Math.max(1, Math.ceil(retryAfterS)),
    resets_at: resetsAt,
  }
  const members = (kind?.members ?? plainMembers).filter((name) => known[name] !== undefined)
  const unit = kind ? (kind.unit ?? facts.unit) : undefined
  return Object.fromEntries([
    ...(unit === undefined ? [] : [['unit', unit]]),
    ...members.map((name) => [name, known[name]]),
  ]) as LimitMembers
}

/** Sums of binary floats, to a millionth: hours and dollars have fewer decimals. */
const exact = (value: number) => (Number.isInteger(value) ? value : Math.round(value * 1e6) / 1e6)

/** The headers in which `/v1` shows numbers of a Problem. `type` is that of the Problem. */
export function limitHeaders(problem: LimitMembers & { readonly type: string }): Record<string, string> {
  const { limit, used, retry_after_s: retryAfterS } = problem
  const names = limitHeadersOf(problem.type.slice(problem.type.lastIndexOf('/') + 1))
  return {
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...(names.limit && limit !== undefined && { [names.limit]: String(limit) }),
    ...(names.used && used !== undefined && { [names.used]: String(used) }),
  }
}

/** The names of the headers that an error of this type has for its limit. */
export const limitHeadersOf = (type: string): Partial<Record<'limit' | 'used', string>> =>
  limitKindOf(type)?.headers ?? {}

/** Every header that is of one type of error alone. */
export const limitHeaderNames: readonly string[] = Object.keys(limitKinds).flatMap((type) =>
  Object.values(limitHeadersOf(type)),
)
