/**
 * The body of a repo: what its card or a file of its newest version says of joints, rate, action and cameras. It is
 * read before the transaction that changes the files, or by a job; the transaction itself reads no file.
 */
import { column, columns } from '../../store/columns.ts'
import type { Querier, Tx } from '../../store/db.ts'
import { assign, excluded, insertInto, insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { BODY_PATHS, type KeptBody } from './body-of-file.ts'
import { compareSome, isHad } from './compare-bodies.ts'

/** A file that was read from the store, which need not be the one that the repo has by now. */
export interface ReadBody {
  readonly storageKey: string
  /** Computed by the hub; null where it has not yet. */
  readonly sha256: string | null
  /** Null: the file names no joints. */
  readonly kept: KeptBody | null
}

const listOf = (paths: readonly string[]) => `array[${paths.map((path) => `'${path}'`).join(', ')}]::text[]`

/** The live file that says the body of the repo `r`: `select <what> from files f …`. */
const bodyFile = (what: string, r: string) => `select ${what} from files f
  where f.repo_id = ${r}.id and f.to_seq is null and f.path = any(case ${r}.kind
    when 'dataset' then ${listOf(BODY_PATHS.dataset)} when 'model' then ${listOf(BODY_PATHS.model)} end)
  order by f.path limit 1`

/** The live file that says the body of the repo `r`, as a subquery for a lateral join. */
export const bodyFileOf = (r: string) => `(${bodyFile('f.path, f.from_seq, f.blob_id', r)})`

/**
 * The change of a row of `repos` that follows from the files that it has now. The card says the body of a robot,
 * whatever its files are.
 */
export const bodyColumns = `body_pending = case repos.kind when 'robot' then repos.body_pending else
  (${bodyFile("f.path || ' ' || f.from_seq", 'repos')}) is distinct from
    (select path || ' ' || seq from repo_bodies where repo_id = repos.id) end`

const one = columns({ one: column.int4('1') })

const shared = columns({ isHad: column.bool(isHad('b')) })

/** Keeps the collection of bodies that no repo has from taking it; those who keep the same body do not wait. */
const share = statement({
  name: 'body-share',
  columns: shared,
  params: { isRobot: param.bool(), fingerprint: param.text() },
  text: `select ${shared.sql} from bodies b where b.is_robot = :isRobot and b.fingerprint = :fingerprint
    for key share of b`,
})

/** While no repo had it, others were kept that were not compared with it. */
const compareAgain = statement({
  name: 'body-compare-again',
  params: { isRobot: param.bool(), fingerprint: param.text() },
  text: `update bodies set fits_pending = true
    where is_robot = :isRobot and fingerprint = :fingerprint and not fits_pending`,
})

const bodyRow = insertInto('bodies', {
  isRobot: param.bool(),
  fingerprint: param.text(),
  jointsKey: param.text(),
  body: sql(':text::text::json', { text: param.text() }),
})

const insertBody = statement({
  name: 'body-insert',
  columns: one,
  params: bodyRow.params,
  text: `${bodyRow.sql} on conflict do nothing returning ${one.sql}`,
})

/** A row that another transaction made or collected meanwhile is looked for again. */
const ATTEMPTS = 5

async function ensureBody(tx: Querier, isRobot: boolean, kept: KeptBody): Promise<void> {
  const { fingerprint, jointsKey, text } = kept
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const [there] = await tx.query(share, { isRobot, fingerprint })
    if (there?.isHad) return
    if (there) await tx.query(compareAgain, { isRobot, fingerprint })
    else if ((await tx.query(insertBody, { isRobot, fingerprint, jointsKey, text })).length === 0) continue
    await compareSome(tx, { ...kept, isRobot }, '')
    return
  }
  throw new Error(`The body ${fingerprint} comes and goes.`)
}

const changed = assign('repo_bodies', { fingerprint: excluded, path: excluded, seq: excluded })

/** What the row has of its repo `r`; a trigger follows its changes. */
const ofRepo = { kind: sql('r.kind'), ownerId: sql('r.owner_id'), isPublic: sql("r.visibility = 'public'") }

const fileRow = insertSelected('repo_bodies', {
  repoId: sql('r.id'),
  ...ofRepo,
  isRobot: false,
  fingerprint: param.text.orNull(),
  path: sql('f.path'),
  seq: sql('f.from_seq'),
})

/** Equal bytes may have been linked to another blob than the one that was read. */
const keepOfFile = statement({
  name: 'repo-body-keep',
  params: { ...fileRow.params, repoId: param.text(), storageKey: param.text(), sha256: param.text.orNull() },
  text: `${fileRow.sql} from repos r cross join lateral ${bodyFileOf('r')} f join blobs b on b.id = f.blob_id
    where r.id = :repoId and (b.storage_key = :storageKey or (b.sha256 is not null and b.sha256 = :sha256))
    on conflict (repo_id) do update set ${changed.sql}`,
})

/**
 * Keeps the body if the repo says it by these bytes now. The caller has locked the repo. Two statements, four or five
 * for a body that no repo had.
 */
export async function keepBody(tx: Querier, repoId: string, { storageKey, sha256, kept }: ReadBody): Promise<void> {
  if (kept) await ensureBody(tx, false, kept)
  await tx.query(keepOfFile, { repoId, storageKey, sha256, fingerprint: kept?.fingerprint ?? null })
}

const cardRow = insertSelected('repo_bodies', {
  repoId: sql('r.id'),
  ...ofRepo,
  isRobot: true,
  fingerprint: param.text.orNull(),
})

const keepOfCard = statement({
  name: 'robot-body-keep',
  params: { ...cardRow.params, repoId: param.text() },
  text: `with read as (update repos set body_pending = false where id = :repoId and body_pending)
    ${cardRow.sql} from repos r where r.id = :repoId on conflict (repo_id) do update set ${changed.sql}`,
})

/** Keeps what its card says as the body of a robot. The caller has locked the repo. Statements as of `keepBody`. */
export async function keepRobotBody(tx: Tx, repoId: string, kept: KeptBody | null): Promise<void> {
  if (kept) await ensureBody(tx, true, kept)
  await tx.query(keepOfCard, { repoId, fingerprint: kept?.fingerprint ?? null })
}

const settle = statement({
  name: 'repo-body-settle',
  params: { repoId: param.text() },
  text: `with live as (select r.id, f.path, f.from_seq from repos r left join lateral ${bodyFileOf('r')} f on true
      where r.id = :repoId),
    gone as (delete from repo_bodies b using live where b.repo_id = live.id and not b.is_robot and live.path is null)
    update repos set body_pending = false from live where repos.id = live.id and repos.kind <> 'robot'
      and (live.path is null or exists (select 1 from repo_bodies b
        where b.repo_id = live.id and b.path = live.path and b.seq = live.from_seq))`,
})

/**
 * Ends the waiting of a data set or model whose body is that of its files now, and forgets the body of one that has no
 * such file any more. The caller has locked the repo.
 */
export async function settleBody(tx: Tx, repoId: string): Promise<void> {
  await tx.query(settle, { repoId })
}
