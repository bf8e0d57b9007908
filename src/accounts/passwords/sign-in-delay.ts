/**
 * Delays after wrong passwords and passkeys. Attempts are counted for a name, for a network and for a browser that is
 * known, in the database, so that several instances count together. A count leaks away with time; above its bound the
 * next attempt has to wait, twice as long each time, and never longer than 15 minutes: no one is locked out for good.
 */
import { tokenDigest } from '../../auth/api-key.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

const MAX_DELAY_SECONDS = 900

interface Bound {
  /** So many attempts wait for nothing. */
  readonly free: number
  /** After so many seconds an attempt is forgotten. */
  readonly leakSeconds: number
}

const bounds = {
  /** Of a name, from all browsers that are not known: about a hundred guesses a day. */
  name: { free: 5, leakSeconds: 900 },
  /** Of a network, for all names together: colleagues share one. */
  network: { free: 30, leakSeconds: 30 },
  /** Of a browser in which the person has signed in before: others cannot use it up. */
  browser: { free: 10, leakSeconds: 900 },
} as const satisfies Readonly<Record<string, Bound>>

/** What attempts are counted for. */
export interface DelaySubject {
  readonly kind: keyof typeof bounds
  readonly value: string
}

const digestOf = ({ kind, value }: DelaySubject) => tokenDigest(JSON.stringify([kind, value]))

const levelColumn = columns({ level: column.float8('d.level') })

const delayRow = insertInto('sign_in_delays as d', { subjectSha256: param.bytea(), level: 1 })

/** The level with this attempt; an SQL expression. */
const level = 'greatest(0, d.level - extract(epoch from now() - d.last_at)::float8 / :leakSeconds) + 1'

/**
 * Counts an attempt before it is made, so that simultaneous ones are all counted. No row means that it has to wait, and
 * was not counted. The clock is read once the row is there: a statement that waited for another attempt's row began
 * before that one's `next_at`, which is rounded to a millisecond.
 */
const charge = statement({
  name: 'sign-in-attempt',
  columns: levelColumn,
  params: { ...delayRow.params, free: param.float8(), leakSeconds: param.float8() },
  text: `${delayRow.sql} on conflict (subject_sha256) do update set level = ${level}, last_at = now(),
      next_at = now() + make_interval(secs => case when ${level} <= :free then 0
        else least(${MAX_DELAY_SECONDS}, power(2, least(30, ${level} - :free))) end)
    where d.next_at <= clock_timestamp() + interval '1 millisecond' returning ${levelColumn.sql}`,
})

const waitColumn = columns({
  seconds: column.int4('greatest(1, ceil(extract(epoch from d.next_at - now())))::int'),
})
const waitOf = statement({
  name: 'sign-in-wait',
  exact: 'in-transaction',
  columns: waitColumn,
  params: { subjectSha256: param.bytea() },
  text: `select ${waitColumn.sql} from sign_in_delays d where d.subject_sha256 = :subjectSha256`,
})

/** A right sign-in takes back the attempt that it was, and no other: signing in as oneself frees no guesses. */
const takeBack = statement({
  name: 'sign-in-attempt-right',
  params: { subjectSha256: param.bytea() },
  text: `update sign_in_delays set level = greatest(0, level - 1), next_at = now() where subject_sha256 = :subjectSha256`,
})

const forget = statement({
  name: 'sign-in-attempts-forget',
  params: { subjectSha256: param.bytea() },
  text: 'delete from sign_in_delays where subject_sha256 = :subjectSha256',
})

/** Counts an attempt for each subject. 429 `rate.limited` for the first that has to wait. */
export async function chargeAttempt(db: Querier, subjects: readonly DelaySubject[]): Promise<void> {
  for (const subject of subjects) {
    const subjectSha256 = digestOf(subject)
    const { free, leakSeconds } = bounds[subject.kind]
    const [charged] = await db.query(charge, { subjectSha256, free, leakSeconds })
    if (charged) continue
    const [wait] = await db.query(waitOf, { subjectSha256 })
    throw tooManyAttempts(subject, wait?.seconds ?? 1)
  }
}

/** After a right sign-in: what was counted for the person is forgotten, and of a network this attempt alone. */
export async function forgiveAttempt(db: Querier, subjects: readonly DelaySubject[]): Promise<void> {
  for (const subject of subjects)
    await db.query(subject.kind === 'network' ? takeBack : forget, { subjectSha256: digestOf(subject) })
}

function tooManyAttempts({ kind }: DelaySubject, seconds: number): HubError {
  const { free } = bounds[kind]
  const whose = { name: 'for this name', network: 'from this network', browser: 'from this browser' }[kind]
  const detail = `Too many failed sign-ins ${whose}: try again in ${seconds} s. Another way to sign in needs no wait.`
  return new HubError('rate.limited', detail, {
    facts: { unit: 'attempts', limit: free, used: free, retryAfterS: seconds },
  })
}
