/**
 * Finds the states of a repo that requests name. The current state and the empty state, `seq` 0, always exist. Any
 * other state exists as long as its row in `repo_changes`, which collection removes together with the first file of the
 * state.
 */
import { assertMayWriteRepo, runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid, notFound } from '../../platform/errors.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { parseState, type StateName } from './state-name.ts'

/** A state of a repo that the caller may read. */
export interface RepoState {
  readonly repoId: string
  readonly ownerId: string
  readonly visibility: 'private' | 'public'
  readonly fullName: string
  readonly seq: number
  /** 40 hex digits; null if the change that led to the state is no longer on record. */
  readonly commitId: string | null
  /** What the author of that change said about it. */
  readonly message: string | null
  /** The run that made that change; null for any other, and if it is no longer on record. Not for every reader. */
  readonly runId: string | null
  /** Time of the change that led to the state; null if that change is no longer on record. */
  readonly time: string | null
  /** Time of the change that replaced the state; null for the current state. */
  readonly replacedAt: string | null
  readonly isCurrent: boolean
  readonly fileSummary: { readonly count: number; readonly totalBytes: number }
  /** Files that were taken out of the state afterwards: purged, or rejected by the hub. */
  readonly withdrawnCount: number
}

export const stateColumns = columns({
  id: column.text('r.id'),
  ownerId: column.text('r.owner_id'),
  visibility: column.enum('Visibility', 'r.visibility'),
  fullName: column.text("o.handle || '/' || r.slug"),
  currentSeq: column.int4('r.seq'),
  currentCount: column.int4('r.file_count'),
  currentBytes: column.int8('r.total_bytes'),
  createdAt: column.timestamptz('r.created_at'),
  /** The state that the name means; null if there is no such name. */
  seq: column.int4.orNull('t.seq'),
  /** Null without a record of the state. */
  at: column.timestamptz.orNull('c.at'),
  commitId: column.text.orNull('case when t.seq = 0 then r.empty_commit_id else c.commit_id end'),
  message: column.text.orNull('c.message'),
  runId: column.text.orNull('c.run_id'),
  replacedAt: column.timestamptz.orNull('c.replaced_at'),
  count: column.int4.orNull('c.file_count'),
  bytes: column.int8.orNull('c.total_bytes'),
  withdrawn: column.int4.orNull('c.withdrawn_count'),
})

type StateRow = RowOf<typeof stateColumns>

const stateSql = (
  target: string,
  repoIds = ':repoIds',
) => `select ${stateColumns.sql} from repos r join accounts o on o.id = r.owner_id
    left join lateral (${target}) t on true
    left join repo_changes c on c.repo_id = r.id and c.seq = t.seq where r.id = any(${repoIds}::text[])`

const repoIds = param.texts()

const bySeq = statement({
  name: 'repo-states-by-seq',
  exact: 'per-parent',
  columns: stateColumns,
  params: { repoIds, seq: param.int4() },
  text: stateSql('select :seq::int as seq'),
})

/**
 * The last change on record at or before `time`; null if a change that is no longer on record replaced it before
 * `time`. Before the first change the repo was empty (`seq` 0).
 */
const byTime = statement({
  name: 'repo-states-by-time',
  exact: 'per-parent',
  columns: stateColumns,
  params: { repoIds, time: param.timestamptz() },
  text: stateSql(`select coalesce(
      (select case when l.replaced_at is null or l.replaced_at > :time then l.seq end from
        (select c.seq, c.replaced_at from repo_changes c where c.repo_id = r.id and c.at <= :time
          order by c.at desc, c.seq desc limit 1) l),
      (select 0 where r.created_at <= :time
        and (r.seq = 0 or exists (select 1 from repo_changes c where c.repo_id = r.id and c.seq = 1
        and c.at > :time)))) as seq`),
})

const bySnapshot = statement({
  name: 'repo-states-by-snapshot',
  exact: 'per-parent',
  columns: stateColumns,
  params: { repoIds, name: param.text() },
  // A subquery, since PostgreSQL would plan it each time for how many snapshots have this very name.
  text: stateSql('select s.seq from repo_snapshots s where s.repo_id = r.id and s.name = (select :name::text)'),
})

const byCommit = statement({
  name: 'repo-states-by-commit',
  exact: 'per-parent',
  columns: stateColumns,
  params: { repoIds, commitId: param.text() },
  text: stateSql(`select h.seq from repo_changes h where h.repo_id = r.id and h.commit_id = :commitId
      union all select 0 where r.empty_commit_id = :commitId`),
})

const byRun = statement({
  name: 'repo-states-by-run',
  exact: 'per-parent',
  columns: stateColumns,
  params: { ...runViewer, datasetIds: repoIds, runId: param.text() },
  text: stateSql(
    `select d.seq from run_datasets d join runs u on u.id = d.run_id
      where d.run_id = :runId and d.repo_id = r.id and ${runVisibleSql('u')} limit 1`,
    ':datasetIds',
  ),
})

/**
 * The state with this name in each repo, in the order requested; an error for a repo that has no such state for the
 * caller. The caller can see the repos (already checked). One statement. A snapshot and a commit id need no further
 * rights, the state that a run pinned needs the right to see the run, and numbers and times need the right to write the
 * repo. Errors: 401, 403, 404.
 */
export async function statesOfRepos(
  ctx: RequestContext,
  repoIds: readonly string[],
  text: string,
  loc: readonly string[] = ['at'],
): Promise<(RepoState | HubError)[]> {
  const name = parseState(text)
  if (!name) throw invalid('validation.value', 'This names no version.', loc)
  const rows = new Map((await read(ctx, repoIds, name)).map((row) => [row.id, row]))
  return repoIds.map((id) => {
    const row = rows.get(id)
    if (!row) return notFound('The repo')
    try {
      return stateOf(ctx, row, name, text)
    } catch (error) {
      if (error instanceof HubError) return error
      throw error
    }
  })
}

/** `statesOfRepos` for one repo; throws the error. */
export async function findState(
  ctx: RequestContext,
  repo: { readonly id: string },
  text: string,
  loc?: readonly string[],
): Promise<RepoState> {
  const [state] = await statesOfRepos(ctx, [repo.id], text, loc)
  if (!state) throw notFound('The repo')
  if (state instanceof HubError) throw state
  return state
}

function read(ctx: RequestContext, repoIds: readonly string[], name: StateName): Promise<StateRow[]> {
  const { db } = ctx.deps
  switch (name.kind) {
    case 'seq':
      return db.query(bySeq, { repoIds, seq: name.seq })
    case 'time':
      return db.query(byTime, { repoIds, time: name.time })
    case 'snapshot':
      return db.query(bySnapshot, { repoIds, name: name.name })
    case 'commit':
      return db.query(byCommit, { repoIds, commitId: name.commitId })
    case 'run': {
      const { repoIds: only, ...viewer } = visibleRuns(ctx.viewer)
      return db.query(byRun, { ...viewer, repoIds: only, datasetIds: repoIds, runId: name.runId })
    }
  }
}

function stateOf(ctx: RequestContext, row: StateRow, name: StateName, text: string): RepoState {
  if (name.kind === 'seq' || name.kind === 'time') assertMayWriteRepo(ctx.viewer, row, row.fullName)
  if (row.seq === null) throw unnamed(row, name)
  if (row.seq > row.currentSeq)
    throw new HubError('not_found', `${row.fullName} has no change ${row.seq} yet; its latest is ${row.currentSeq}.`)
  const state = toState(row)
  if (!state) throw goneState(row.fullName, text)
  return state
}

/** The state in a row; null if the name means no state, or the state no longer exists. */
export function toState(row: RowOf<typeof stateColumns>): RepoState | null {
  const isCurrent = row.seq === row.currentSeq
  if (row.seq === null || (row.at === null && row.seq > 0 && !isCurrent)) return null
  const known = row.at === null ? {} : { count: row.count ?? 0, bytes: row.bytes ?? 0 }
  const { count = 0, bytes = 0 } = isCurrent ? { count: row.currentCount, bytes: row.currentBytes } : known
  return {
    repoId: row.id,
    ownerId: row.ownerId,
    visibility: row.visibility,
    fullName: row.fullName,
    seq: row.seq,
    commitId: row.commitId,
    message: row.message,
    runId: row.runId,
    time: row.at ?? (row.seq === 0 ? row.createdAt : null),
    replacedAt: row.replacedAt,
    isCurrent,
    fileSummary: { count, totalBytes: bytes },
    withdrawnCount: row.withdrawn ?? 0,
  }
}

function unnamed(row: StateRow, name: StateName): HubError {
  if (name.kind === 'snapshot') return notFound(`The snapshot ${name.name} of ${row.fullName}`)
  if (name.kind === 'run')
    return new HubError(
      'not_found',
      `No run ${name.runId} that you can see has pinned ${row.fullName} as a dataset. List the runs of the repo.`,
    )
  if (name.kind === 'commit') return goneState(row.fullName, `the commit ${name.commitId}`)
  if (name.kind === 'time' && name.time < row.createdAt)
    return new HubError('not_found', `${row.fullName} was created at ${row.createdAt}; it had no version before.`)
  return goneState(row.fullName, name.kind === 'time' ? name.time : '')
}

/** 404 for a state whose files collection has removed. */
export function goneState(fullName: string, text: string): HubError {
  return new HubError(
    'not_found',
    `The version of ${fullName} at ${text} is gone: a replaced version is kept for a grace period (GC_GRACE_S of the hub), and beyond it only if a snapshot names it or a run pinned it. The history lists the versions that are left.`,
  )
}

const seqColumn = columns({ seq: column.int4('seq') })

/**
 * Locks a state FOR SHARE until the commit. Collection locks a state before it decides about it, so it waits and then
 * sees what this transaction made of the state.
 */
export const shareState = statement({
  name: 'repo-state-share',
  columns: seqColumn,
  params: { repoId: param.text(), seq: param.int4() },
  text: `select ${seqColumn.sql} from repo_changes where repo_id = :repoId and seq = :seq for share`,
})
