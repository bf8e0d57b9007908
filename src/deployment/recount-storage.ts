/**
 * Counts again what the sums of storage are made of, and mends those that differ: `hub storage recount`. Each sum changes
 * in the transaction that changes its parts, so one statement sees both as they were at one moment, beside any uploads.
 * What differs is counted once more under the locks of its repos and of its account, then mended by the difference.
 * docs/decisions/database.md, "Sums of storage can be counted again".
 */
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { sparesSql } from '../accounts/spares-sql.ts'
import { openStates, sqlStates } from '../files/upload-state.ts'
import { keptSum } from '../files/versions/kept-bytes.ts'
import { audit, noViewer } from '../operation/audit.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Db, Querier, Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { asJob } from '../store/statement-time.ts'

/** Accounts that one statement counts. */
const OWNERS = 100

const repoSums = columns({
  id: column.text('r.id'),
  ownerId: column.text('r.owner_id'),
  name: column.text("a.handle || '/' || r.slug"),
  files: column.int4('r.file_count'),
  filesFound: column.int4('live.files'),
  verified: column.int4('r.verified_count'),
  verifiedFound: column.int4('live.verified'),
  liveBytes: column.int8('r.total_bytes'),
  liveBytesFound: column.int8('live.bytes'),
  snapshotBytes: column.int8('r.snapshot_bytes'),
  snapshotBytesFound: column.int8('kept.bytes'),
  filmBytes: column.int8('r.film_bytes'),
  filmBytesFound: column.int8('films.bytes'),
})

/** Repos whose sums differ from their parts: of these accounts, or only these of them. */
const wrongRepos = statement({
  name: 'recount-repos',
  exact: 'aggregate',
  columns: repoSums,
  params: { ownerIds: param.texts(), repoIds: param.texts.orNull() },
  text: `select ${repoSums.sql} from repos r join accounts a on a.id = r.owner_id
    cross join lateral (select count(*)::int as files, count(b.sha256)::int as verified,
        coalesce(sum(b.size), 0)::int8 as bytes
      from files f join blobs b on b.id = f.blob_id where f.repo_id = r.id and f.to_seq is null) live
    cross join lateral (select case when exists (select from repo_snapshots n where n.repo_id = r.id)
      then ${keptSum('', 'r.id')} else 0 end as bytes) kept
    cross join lateral (select coalesce(sum(e.size), 0)::int8 as bytes from episode_films e
      where e.repo_id = r.id and e.status = 'succeeded') films
    where r.owner_id = any(:ownerIds::text[]) and (:repoIds::text[] is null or r.id = any(:repoIds::text[]))
      and (r.file_count, r.verified_count, r.total_bytes, r.snapshot_bytes, r.film_bytes)
        <> (live.files, live.verified, live.bytes, kept.bytes, films.bytes)
    order by r.owner_id, r.id`,
})

const accountSums = columns({
  id: column.text('a.id'),
  name: column.text('a.handle'),
  storageBytes: column.int8('a.storage_bytes - spares.bytes'),
  storageBytesFound: column.int8('repos.bytes + episodes.bytes + runs.bytes + checks.bytes'),
  reservedBytes: column.int8('a.reserved_bytes'),
  reservedBytesFound: column.int8('open.bytes'),
  pendingUploads: column.int4('a.pending_uploads'),
  pendingUploadsFound: column.int4('open.uploads'),
})

/**
 * The sums of these accounts, from those of their repos and jobs. What a run or check stores is taken as its row says
 * it: of its log and metrics other bytes are kept than those that its runner sent and that count.
 */
const sumsOfAccounts = statement({
  name: 'recount-accounts',
  exact: 'aggregate',
  columns: accountSums,
  params: { ownerIds: param.texts() },
  text: `with kept as materialized (select e.owner_id, sum(b.size)::int8 as bytes
      from rollout_episodes e join blobs b on b.id = e.blob_id where e.owner_id = any(:ownerIds::text[])
      group by e.owner_id)
    select ${accountSums.sql} from accounts a
    cross join lateral (select ${sparesSql('a.id')} as bytes) spares
    cross join lateral (select coalesce(sum(r.total_bytes + r.snapshot_bytes + r.film_bytes), 0)::int8 as bytes
      from repos r where r.owner_id = a.id) repos
    cross join lateral (select coalesce((select k.bytes from kept k where k.owner_id = a.id), 0) as bytes) episodes
    cross join lateral (select coalesce(sum(u.stored_bytes), 0)::int8 as bytes from runs u where u.owner_id = a.id) runs
    cross join lateral (select coalesce(sum(c.stored_bytes), 0)::int8 as bytes from robot_checks c
      where c.owner_id = a.id) checks
    cross join lateral (select coalesce(sum(u.size), 0)::int8 as bytes, count(*)::int as uploads from uploads u
      where u.owner_id = a.id and u.state in (${sqlStates(openStates)})) open
    where a.id = any(:ownerIds::text[]) order by a.id`,
})

const ownerColumn = columns({ id: column.text('id') })

const ownersAfter = statement({
  name: 'recount-owners',
  exact: 'aggregate',
  columns: ownerColumn,
  params: { after: param.text(), most: param.int8() },
  text: `select ${ownerColumn.sql} from accounts where id > :after order by id limit :most`,
})

const lockRepos = statement({
  name: 'recount-lock-repos',
  columns: ownerColumn,
  params: { ownerId: param.text(), repoIds: param.texts() },
  text: `select ${ownerColumn.sql} from repos where id = any(:repoIds::text[]) and owner_id = :ownerId
    order by id for no key update`,
})

const mendRepo = statement({
  name: 'recount-mend-repo',
  params: {
    id: param.text(),
    files: param.int4(),
    verified: param.int4(),
    liveBytes: param.int8(),
    snapshotBytes: param.int8(),
    filmBytes: param.int8(),
  },
  text: `update repos set file_count = :files::int, verified_count = :verified::int, total_bytes = :liveBytes::bigint,
      snapshot_bytes = :snapshotBytes::bigint, film_bytes = :filmBytes::bigint
    where id = :id`,
})

/** By the difference: reports of its runs take bytes from their spares meanwhile. */
const mendAccount = statement({
  name: 'recount-mend-account',
  params: { id: param.text(), storageBytes: param.int8(), reservedBytes: param.int8(), pendingUploads: param.int4() },
  text: `update accounts set storage_bytes = storage_bytes + :storageBytes::bigint,
      reserved_bytes = reserved_bytes + :reservedBytes::bigint, pending_uploads = pending_uploads + :pendingUploads::int
    where id = :id`,
})

type RepoSums = RowOf<typeof repoSums>
type AccountSums = RowOf<typeof accountSums>

const repoCounters = ['files', 'verified', 'liveBytes', 'snapshotBytes', 'filmBytes'] as const
const accountCounters = ['storageBytes', 'reservedBytes', 'pendingUploads'] as const

/** A sum that was not what its parts come to. */
export interface WrongSum {
  /** Handle of the account, or full name of the repo. */
  readonly name: string
  readonly sum: (typeof repoCounters)[number] | (typeof accountCounters)[number]
  readonly kept: number
  readonly found: number
}

type Counted<Counter extends string> = { readonly name: string } & Readonly<Record<Counter | `${Counter}Found`, number>>

const differing = <Counter extends WrongSum['sum']>(row: Counted<Counter>, counters: readonly Counter[]): WrongSum[] =>
  counters.flatMap((sum) => {
    const [kept, found]: readonly [number, number] = [row[sum], row[`${sum}Found`]]
    return kept === found ? [] : [{ name: row.name, sum, kept, found }]
  })

export interface RecountOptions {
  /** Of these accounts; of all if null. */
  readonly ownerIds: readonly string[] | null
  /** Only tells what differs. */
  readonly isDry: boolean
  /** Is given the sums of each account that differ, once its transaction has ended. */
  readonly onWrong: (wrong: readonly WrongSum[]) => void
}

/** Counts the storage of accounts, in the order of their ids; one transaction for each that differs. */
export function recountStorage(db: Db, { ownerIds, ...how }: RecountOptions): Promise<void> {
  return asJob(async () => {
    for await (const batch of ownerIds === null ? allOwners(db) : [ownerIds]) await recountBatch(db, batch, how)
  })
}

async function* allOwners(db: Db): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const ids = (await db.query(ownersAfter, { after, most: OWNERS })).map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < OWNERS) return
    after = ids.at(-1) ?? after
  }
}

async function recountBatch(db: Db, ownerIds: readonly string[], how: Omit<RecountOptions, 'ownerIds'>): Promise<void> {
  const suspects = Map.groupBy(await db.query(wrongRepos, { ownerIds, repoIds: null }), ({ ownerId }) => ownerId)
  for (const account of await db.query(sumsOfAccounts, { ownerIds })) {
    const repoIds = (suspects.get(account.id) ?? []).map(({ id }) => id)
    if (repoIds.length === 0 && differing(account, accountCounters).length === 0) continue
    const wrong = await db.withTx((tx) => recountOwner(tx, account.id, repoIds, how.isDry))
    if (wrong.length > 0) how.onWrong(wrong)
  }
}

/** Lock order: repos, account. */
async function recountOwner(tx: Tx, ownerId: string, repoIds: string[], isDry: boolean): Promise<WrongSum[]> {
  await tx.query(lockRepos, { ownerId, repoIds })
  await lockAccounts(tx, [ownerId])
  const repos = repoIds.length > 0 ? await tx.query(wrongRepos, { ownerIds: [ownerId], repoIds }) : []
  const [kept] = await tx.query(sumsOfAccounts, { ownerIds: [ownerId] })
  if (!kept) return []
  // The sums of the repos are not mended yet.
  const storageBytesFound = repos.reduce((sum, repo) => sum + missingBytes(repo), kept.storageBytesFound)
  const account: AccountSums = { ...kept, storageBytesFound }
  if (!isDry) {
    for (const repo of repos) await mendRepoSums(tx, repo)
    await mendAccountSums(tx, account)
  }
  return [...repos.flatMap((repo) => differing(repo, repoCounters)), ...differing(account, accountCounters)]
}

const missingBytes = (repo: RepoSums): number =>
  repo.liveBytesFound +
  repo.snapshotBytesFound +
  repo.filmBytesFound -
  repo.liveBytes -
  repo.snapshotBytes -
  repo.filmBytes

async function mendRepoSums(tx: Querier, repo: RepoSums): Promise<void> {
  const { id, filesFound: files, verifiedFound: verified, liveBytesFound: liveBytes } = repo
  const { snapshotBytesFound: snapshotBytes, filmBytesFound: filmBytes } = repo
  await tx.query(mendRepo, { id, files, verified, liveBytes, snapshotBytes, filmBytes })
  await told(tx, { accountId: repo.ownerId, targetId: id }, differing(repo, repoCounters))
}

async function mendAccountSums(tx: Querier, account: AccountSums): Promise<void> {
  const wrong = differing(account, accountCounters)
  if (wrong.length === 0) return
  await tx.query(mendAccount, {
    id: account.id,
    storageBytes: account.storageBytesFound - account.storageBytes,
    reservedBytes: account.reservedBytesFound - account.reservedBytes,
    pendingUploads: account.pendingUploadsFound - account.pendingUploads,
  })
  await told(tx, { accountId: account.id, targetId: account.id }, wrong)
}

const told = (tx: Querier, of: { readonly accountId: string; readonly targetId: string }, wrong: readonly WrongSum[]) =>
  audit(tx, noViewer, {
    action: 'storage.recount',
    ...of,
    before: Object.fromEntries(wrong.map(({ sum, kept }) => [sum, kept])),
    after: Object.fromEntries(wrong.map(({ sum, found }) => [sum, found])),
  })
