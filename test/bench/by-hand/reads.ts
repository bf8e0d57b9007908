/**
 * Five reads of `/v1` as a person would write them for speed: the hub's SQL, one map from row to JSON, and nothing of a
 * graph. The rules that make a run's name, progress and spend are the hub's own.
 */
import {
  repoViewer,
  runViewer,
  type VisibleRepos,
  type VisibleRuns,
  visibleRepos,
  visibleRuns,
} from '../../../src/auth/policy.ts'
import type { Viewer } from '../../../src/operation/context.ts'
import { repoPageStatement } from '../../../src/repos/list-sql.ts'
import { type RepoRow, repoColumns, visibleRepo } from '../../../src/repos/repo-shape.ts'
import { runPageStatement } from '../../../src/runs/read/list-sql.ts'
import { runColumns, runTables, toRun, visibleRun } from '../../../src/runs/read/run-shape.ts'
import type { Db } from '../../../src/store/db.ts'
import { type NamedStatement, orderedValues, param, statement } from '../../../src/store/statement.ts'
import { runJson } from './run-json.ts'

/** What a read is asked: parts of the path, and the query. */
export interface Asked {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/** Whose rows it may show. */
export interface Seer {
  readonly repos: VisibleRepos
  readonly runs: VisibleRuns
}

export interface HandRead {
  readonly path: string
  /** The value of the answer; undefined where there is none. */
  readonly read: (db: Db, seer: Seer, asked: Asked) => Promise<unknown>
}

/** What a viewer sees, once for each request. */
export const seerOf = (viewer: Viewer): Seer => ({ repos: visibleRepos(viewer), runs: visibleRuns(viewer) })

const DEFAULT_PAGE = 20

const named = { ...repoViewer, owner: param.text(), repo: param.text() }

const repoByName = statement({
  name: 'by-hand-repo',
  params: named,
  text: `select ${repoColumns.sql} from repos r join accounts o on o.id = r.owner_id where o.handle = :owner and r.slug = :repo and ${visibleRepo}`,
})

interface FileRow {
  readonly path: string
  readonly size: number
  readonly etag: string | null
  readonly sha256: string | null
  readonly mime: string | null
  readonly updated_at: string
}

const tree = statement({
  name: 'by-hand-tree',
  params: { ...named, limit: param.int4() },
  text: `select f.path, b.size, b.etag, b.sha256, f.mime, f.updated_at from files f join blobs b on b.id = f.blob_id
    where f.repo_id = (select r.id from repos r join accounts o on o.id = r.owner_id where o.handle = :owner and r.slug = :repo and ${visibleRepo})
    and f.to_seq is null order by f.path limit :limit`,
})

const runById = statement({
  name: 'by-hand-run',
  columns: runColumns,
  params: { ...runViewer, id: param.text() },
  text: `select ${runColumns.sql} from ${runTables} where u.id = :id and ${visibleRun}`,
})

/** Rows as the driver makes them. */
const rowsOf = <T, P>(db: Db, { name, text, ...rest }: NamedStatement<unknown, P>, values: P) =>
  db.query<T>({ name, text }, orderedValues({ name, text, ...rest }, values))

const repoJson = (row: RepoRow) => ({
  id: row.id,
  kind: row.kind,
  owner: { id: row.ownerId, kind: row.ownerKind, handle: row.ownerHandle, name: row.ownerName },
  slug: row.slug,
  full_name: `${row.ownerHandle}/${row.slug}`,
  visibility: row.visibility,
  description: row.description,
  tags: row.tags,
  file_summary: { count: row.fileCount, total_bytes: row.totalBytes, verified_count: row.verifiedCount },
  policy_count: row.policyCount,
  commit_id: row.commitId,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
})

/** A run, undefined where the seer sees none with this id. */
export async function readRun(db: Db, { runs }: Seer, id: string): Promise<unknown> {
  const [row] = await db.query(runById, { ...runs, id })
  return row && runJson(toRun(row))
}

export const reads: readonly HandRead[] = [
  {
    path: '/v1/repos/:owner/:repo',
    async read(db, { repos }, { params: { owner = '', repo = '' } }) {
      const [row]: RepoRow[] = await rowsOf(db, repoByName, { ...repos, owner, repo })
      return row && repoJson(row)
    },
  },
  {
    path: '/v1/repos',
    async read(db, { repos }, { query }) {
      const limit = Number(query.limit ?? DEFAULT_PAGE)
      const page = { filter: {}, sort: 'created', cards: true, after: null, limit: limit + 1 } as const
      const { statement, values } = repoPageStatement(repos, page)
      const rows: RepoRow[] = await rowsOf(db, { ...statement, name: 'by-hand-repos' }, values)
      const next_cursor = rows.length > limit ? (rows[limit - 1]?.id ?? null) : null
      return { items: rows.slice(0, limit).map(repoJson), next_cursor }
    },
  },
  {
    path: '/v1/repos/:owner/:repo/tree',
    async read(db, { repos }, { params: { owner = '', repo = '' }, query }) {
      const limit = Number(query.limit ?? DEFAULT_PAGE)
      const rows: FileRow[] = await rowsOf(db, tree, { ...repos, owner, repo, limit: limit + 1 })
      return { items: rows.slice(0, limit), next_cursor: rows.length > limit ? (rows[limit - 1]?.path ?? null) : null }
    },
  },
  {
    path: '/v1/runs/:run',
    read: (db, seer, { params: { run = '' } }) => readRun(db, seer, run),
  },
  {
    path: '/v1/runs',
    async read(db, { runs }, { query }) {
      const limit = Number(query.limit ?? DEFAULT_PAGE)
      const { statement, values } = runPageStatement(runs, { filter: {}, after: null, limit: limit + 1 })
      const rows = await db.query(statement, values)
      const nodes = rows.slice(0, limit).map((row) => runJson(toRun(row)))
      return { items: nodes, next_cursor: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null }
    },
  },
]
