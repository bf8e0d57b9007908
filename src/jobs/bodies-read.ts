/**
 * Reads the bodies that no change has read: those of an older hub, of files that the store did not give, and of changes
 * that read no file. `repos.body_pending` is the list of them, `bodies.fits_pending` that of bodies to compare, so a
 * process that dies leaves both as they are.
 */
import { readStoredBody } from '../files/read-dataset-info.ts'
import type { Deps } from '../operation/context.ts'
import { bodyOfCard } from '../repos/bodies/body-of-file.ts'
import { type Compared, compareSome, isHad, readBody } from '../repos/bodies/compare-bodies.ts'
import { bodyFileOf, keepBody, keepRobotBody, settleBody } from '../repos/bodies/kept-bodies.ts'
import { lockRepo } from '../repos/get-repo.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { object } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'

const BATCH = 100
/** Of the other side, for one body: a hundred times as many as robots with one body are known. */
const MAX_COMPARED = 5000

const pendingColumns = columns({
  repoId: column.text('r.id'),
  kind: column.enum('RepoKind', 'r.kind'),
  storageKey: column.text.orNull('b.storage_key'),
  size: column.int8.orNull('b.size'),
  sha256: column.text.orNull('b.sha256'),
})

const pending = statement({
  name: 'repos-body-pending',
  exact: 'next-batch',
  columns: pendingColumns,
  params: { after: param.text(), limit: param.int4() },
  text: `select ${pendingColumns.sql} from repos r left join lateral ${bodyFileOf('r')} f on true
    left join blobs b on b.id = f.blob_id
    where r.body_pending and r.id > :after order by r.id limit :limit::int`,
})

type Pending = RowOf<typeof pendingColumns>

/** Reads each of them once, in the order of their repos. What the store does not give stays for the next time. */
export async function readPendingBodies(deps: Deps, signal: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await deps.db.query(pending, { after, limit: BATCH })
    for (const row of rows) {
      signal.throwIfAborted()
      await (row.kind === 'robot' ? settleRobot(deps, row.repoId) : settleRepo(deps, row, signal))
    }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = last.repoId
  }
}

async function settleRepo(
  deps: Deps,
  { repoId, kind, storageKey, size, sha256 }: Pending,
  signal: AbortSignal,
): Promise<void> {
  const stored = storageKey !== null && size !== null ? { storageKey, size, sha256 } : null
  if (stored && !deps.objects) return
  const read = stored && deps.objects ? await readStoredBody({ deps, signal }, deps.objects, kind, stored) : null
  if (stored && !read) return
  await deps.db.withTx(async (tx) => {
    if (!(await lockRepo(tx, repoId))) return
    if (read) await keepBody(tx, repoId, read)
    await settleBody(tx, repoId)
    tx.afterCommit(() => deps.events.hint(repoId))
  })
}

const cardColumn = columns({ card: column.json('card', object) })

const cardOf = statement({
  name: 'robot-card-of-body',
  exact: 'client-json',
  columns: cardColumn,
  params: { repoId: param.text() },
  text: `select ${cardColumn.sql} from robot_cards where repo_id = :repoId`,
})

async function settleRobot({ db, events }: Deps, repoId: string): Promise<void> {
  await db.withTx(async (tx) => {
    if (!(await lockRepo(tx, repoId))) return
    const [row] = await tx.query(cardOf, { repoId })
    await keepRobotBody(tx, repoId, row ? bodyOfCard(row.card) : null)
    tx.afterCommit(() => events.hint(repoId))
  })
}

const newColumns = columns({
  isRobot: column.bool('b.is_robot'),
  fingerprint: column.text('b.fingerprint'),
  jointsKey: column.text('b.joints_key'),
  body: column.json('b.body', readBody),
})

const uncompared = statement({
  name: 'bodies-fits-pending',
  exact: 'next-batch',
  columns: newColumns,
  text: `select ${newColumns.sql} from bodies b where b.fits_pending and ${isHad('b')}
    order by b.is_robot, b.fingerprint limit ${BATCH}`,
})

const compared = statement({
  name: 'body-compared',
  params: { isRobot: param.bool(), fingerprint: param.text() },
  text: 'update bodies set fits_pending = false where is_robot = :isRobot and fingerprint = :fingerprint',
})

/** Compares each new body with those of the other side that have its joints, a hundred at a time. */
export async function compareNewBodies({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const found = await db.query(uncompared)
    for (const mine of found) {
      signal.throwIfAborted()
      await compareWithAll(db, mine)
      await db.query(compared, mine)
    }
    if (found.length < BATCH) return
  }
}

async function compareWithAll(db: Deps['db'], mine: Compared): Promise<void> {
  let after: string | null = ''
  for (let done = 0; after !== null && done < MAX_COMPARED; done += BATCH) after = await compareSome(db, mine, after)
}

/** Bodies that one statement looks at, and locks. */
const LOOKED_AT = 1000

const lookedAt = columns({ isRobot: column.bool('is_robot'), fingerprint: column.text('fingerprint') })

const robotsOf = (lost: string) => `array(select fingerprint from ${lost} where is_robot)`
const sourcesOf = (lost: string) => `array(select fingerprint from ${lost} where not is_robot)`

const dropLost = statement({
  name: 'bodies-drop-lost',
  columns: lookedAt,
  params: { isRobot: param.bool(), fingerprint: param.text() },
  text: `with looked as (select b.is_robot, b.fingerprint from bodies b
      where (b.is_robot, b.fingerprint) > (:isRobot::bool, :fingerprint::text)
      order by b.is_robot, b.fingerprint limit ${LOOKED_AT} for update skip locked),
    lost as (select b.is_robot, b.fingerprint from looked b
      where not ${isHad('b')}),
    robots as (delete from bodies where is_robot and fingerprint = any(${robotsOf('lost')})),
    sources as (delete from bodies where not is_robot and fingerprint = any(${sourcesOf('lost')})),
    fits_of_robots as (delete from body_fits where robot_fingerprint = any(${robotsOf('lost')})),
    fits_of_sources as (delete from body_fits where source_fingerprint = any(${sourcesOf('lost')}))
    select ${lookedAt.sql} from looked order by is_robot desc, fingerprint desc limit 1`,
})

/** Deletes the bodies that no repo has any more, and what they were compared with. */
export async function dropLostBodies({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  let last: RowOf<typeof lookedAt> | undefined = { isRobot: false, fingerprint: '' }
  while (last) {
    signal.throwIfAborted()
    ;[last] = await db.query(dropLost, last)
  }
}
