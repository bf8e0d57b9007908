/** The files of a state: the complete tree as it was, or an error. */

import { prefixSuccessor } from '@hub/text/file-path'
import type { RequestContext } from '../../operation/context.ts'
import { findRepo } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { fileEntryColumns } from '../file-entry.ts'
import { type FilePage, lowerBoundOf, lowestPath, pageColumns, type TreeInput, toPage } from '../tree.ts'
import { findState, goneState, type RepoState } from './states.ts'

/**
 * Whether the state `q` exists, checked in the statement that reads its files: collection removes the row of a state
 * before its first file, so the files of an existing state are complete. `q` has `repo_id` and `seq`.
 */
export const stateIsThere = `exists (select 1 from repos r where r.id = q.repo_id and (r.seq = q.seq or q.seq = 0
    or exists (select 1 from repo_changes c where c.repo_id = q.repo_id and c.seq = q.seq)))`

/** The condition for rows of `files` that are in the state `q`. */
export const inState = (alias: string) =>
  `${alias}.repo_id = q.repo_id and ${alias}.from_seq <= q.seq and (${alias}.to_seq is null or ${alias}.to_seq > q.seq)`

const stateColumns = pageColumns.with({ place: column.int4('q.place::int') })

/** A state without a file in the range yields one row without a path; a state that no longer exists yields none. */
export const treeOfStates = statement({
  name: 'files-tree-at',
  exact: 'hot',
  columns: stateColumns,
  params: {
    repoIds: param.texts(),
    seqs: param.int4s(),
    lower: param.texts(),
    upper: param.text(),
    limit: param.int8(),
  },
  text: `select ${stateColumns.sql}
    from unnest(:repoIds::text[], :seqs::int[], :lower::text[]) with ordinality as q(repo_id, seq, lower, place)
    left join lateral (select id, path, blob_id, mime, updated_at from files i
      where ${inState('i')} and i.path >= q.lower and i.path < :upper order by i.path limit :limit) f on true
    left join lateral (select size, etag, sha256 from blobs where id = f.blob_id offset 0) b on true
    where ${stateIsThere} order by q.place, f.path`,
})

export interface FilesOfStates {
  readonly states: readonly RepoState[]
  readonly prefix: string
  readonly startAt?: string | null
  readonly limit: number
  readonly after: string | null
}

const listingOf = ({ repoId, seq }: RepoState, prefix: string) => `tree:${repoId}@${seq}:${prefix}`

/**
 * A page for each state, in the order requested, or 404 if it no longer exists. One statement for any number. 422
 * `validation.cursor`.
 */
export async function filesOfStates(
  ctx: Pick<RequestContext, 'deps'>,
  { states, prefix, startAt, limit, after }: FilesOfStates,
): Promise<(FilePage | Error)[]> {
  const { db } = ctx.deps
  const lower = await Promise.all(
    states.map((state) =>
      after === null ? lowestPath(prefix, startAt) : lowerBoundOf(db, state.repoId, listingOf(state, prefix), after),
    ),
  )
  const rows = await db.query(treeOfStates, {
    repoIds: states.map((state) => state.repoId),
    seqs: states.map((state) => state.seq),
    lower,
    upper: prefixSuccessor(prefix),
    limit: limit + 1,
  })
  const byPlace = Map.groupBy(rows, (row) => row.place)
  return states.map((state, index) => {
    const found = byPlace.get(index + 1)
    if (!found) return goneState(state.fullName, String(state.seq))
    return toPage(found.filter(hasPath), listingOf(state, prefix), limit)
  })
}

/** False for the row without a path that the left join yields for a state without such files. */
const hasPath = (row: { readonly path: string | null }) => row.path !== null

/** getRepoTree with `at`. Errors: 401, 403, 404 the repo or the state, 422. Three statements. */
export async function listTreeAt(ctx: RequestContext, input: TreeInput & { readonly at: string }): Promise<FilePage> {
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  const state = await findState(ctx, repo, input.at)
  const [page] = await filesOfStates(ctx, { ...input, states: [state] })
  if (page instanceof Error || !page) throw page ?? goneState(repo.fullName, input.at)
  return page
}

const storedColumn = fileEntryColumns.with({ storageKey: column.text('b.storage_key') })

/** Files of a state at some paths, with one row of nulls if it has none of them. */
const storedAt = statement({
  name: 'files-stored-at',
  exact: 'hot',
  columns: storedColumn,
  params: { repoId: param.text(), seq: param.int4(), paths: param.texts() },
  text: `select ${storedColumn.sql} from (select :repoId::text as repo_id, :seq::int as seq) q
    left join (files f join blobs b on b.id = f.blob_id) on ${inState('f')} and f.path = any(:paths::text[])
    where ${stateIsThere}`,
})

/** The stored files of a state at those of the paths that it has. 404 if the state no longer exists. One statement. */
export async function storedInState(ctx: RequestContext, state: RepoState, paths: readonly string[]) {
  const rows = await ctx.deps.db.query(storedAt, { repoId: state.repoId, seq: state.seq, paths })
  if (rows.length === 0) throw goneState(state.fullName, String(state.seq))
  return rows.filter(hasPath)
}

const withdrawnAtColumns = columns({
  path: column.text('w.path'),
  reason: column.enum('WithdrawalReason', 'w.reason'),
  at: column.timestamptz('w.withdrawn_at'),
})

const withdrawnAt = statement({
  name: 'files-withdrawn-at',
  exact: 'per-parent',
  columns: withdrawnAtColumns,
  params: { repoId: param.text(), seq: param.int4(), paths: param.texts() },
  text: `select distinct on (w.path) ${withdrawnAtColumns.sql} from withdrawn_files w
    where w.repo_id = :repoId and w.from_seq <= :seq and w.to_seq > :seq and w.path = any(:paths::text[]) order by w.path, w.id desc`,
})

const REASONS = {
  purged: 'was purged from every version of the repo',
  rejected: 'was rejected by the hub, because its bytes did not match its SHA-256',
} as const

/** Why the state lacks paths: a sentence for each path whose file was withdrawn from the state. */
export async function whyAbsent(
  ctx: RequestContext,
  state: RepoState,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const rows = await ctx.deps.db.query(withdrawnAt, { repoId: state.repoId, seq: state.seq, paths })
  return new Map(rows.map(({ path, reason, at }) => [path, `${JSON.stringify(path)} ${REASONS[reason]} at ${at}.`]))
}
