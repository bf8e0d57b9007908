/**
 * Whether bodies fit each other without a kept map, computed once for each pair whose joints have the same names: any
 * other pair does not fit. The one who keeps a new body compares it with a few at once; a job does the rest, and all of
 * them again, since of two bodies that are kept at the same time neither sees the other.
 */
import type { Embodiment } from '@hub/embodiment/embodiment'
import { fit } from '@hub/embodiment/fit'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { each, insertEach } from '../../store/insert.ts'
import { object } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import type { KeptBody } from './body-of-file.ts'

/** Some milliseconds of computing. */
export const COMPARED_AT_ONCE = 100

/** A body from its column; written by this hub alone. */
export const readBody = (json: unknown) => object(json) as unknown as Embodiment

/**
 * Whether some repo has the body `b`. One that none has any more stays until a job drops it; it is not compared, however
 * many of them a repo that changes often leaves behind.
 */
export const isHad = (b: string) =>
  `exists (select 1 from repo_bodies h where h.is_robot = ${b}.is_robot and h.fingerprint = ${b}.fingerprint offset 0)`

const otherColumns = columns({ fingerprint: column.text('o.fingerprint'), body: column.json('o.body', readBody) })

const others = statement({
  name: 'bodies-of-other-side',
  exact: 'in-transaction',
  columns: otherColumns,
  params: { isRobot: param.bool(), jointsKey: param.text(), after: param.text() },
  text: `select ${otherColumns.sql} from bodies o where o.is_robot = not :isRobot::bool and o.joints_key = :jointsKey
    and o.fingerprint > :after and ${isHad('o')} order by o.fingerprint limit ${COMPARED_AT_ONCE}`,
})

const fitRows = insertEach('body_fits', {
  robotFingerprint: each('robots', param.texts()),
  sourceFingerprint: each('sources', param.texts()),
  verdict: each('verdicts', param.texts(), 'FitVerdict'),
})

const keepFits = statement({
  name: 'body-fits-keep',
  params: fitRows.params,
  text: `${fitRows.sql} on conflict do nothing`,
})

export interface Compared extends Pick<KeptBody, 'body' | 'fingerprint' | 'jointsKey'> {
  readonly isRobot: boolean
}

/**
 * Compares a body with the next hundred of the other side, by fingerprint. Returns the last of them; null where there
 * are no more. One statement, two where there is one to compare with.
 */
export async function compareSome(db: Querier, mine: Compared, after: string): Promise<string | null> {
  const { isRobot, jointsKey } = mine
  const found = await db.query(others, { isRobot, jointsKey, after })
  if (found.length === 0) return null
  await db.query(keepFits, {
    robots: found.map(({ fingerprint }) => (isRobot ? mine.fingerprint : fingerprint)),
    sources: found.map(({ fingerprint }) => (isRobot ? fingerprint : mine.fingerprint)),
    verdicts: found.map(({ body }) => (isRobot ? fit(body, mine.body) : fit(mine.body, body)).verdict),
  })
  return found.length < COMPARED_AT_ONCE ? null : (found.at(-1)?.fingerprint ?? null)
}
