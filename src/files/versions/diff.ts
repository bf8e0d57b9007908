/** The differences between two states of a repo, one page at a time. */

import { justAfter, pathFault } from '@hub/text/file-path'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor, type KeyPart, MAX_CURSOR_LENGTH, type Page } from '../../platform/page.ts'
import { findRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { pathOfRow } from '../tree.ts'
import { findState, goneState } from './states.ts'

/** The bytes of a path in one of the states. */
interface DiffSide {
  readonly size: number
  /** Computed by the hub; null until it has hashed the bytes. */
  readonly sha256: string | null
}

/** A path that has different bytes in the two states, or that only one of them has. */
export interface FileDiff {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly before: DiffSide | null
  readonly after: DiffSide | null
  readonly rowId: number
}

const diffColumns = columns({
  path: column.text.orNull('d.path'),
  rowId: column.int8('d.id'),
  fromSize: column.int8.orNull('d.from_size'),
  fromSha256: column.text.orNull('d.from_sha256'),
  toSize: column.int8.orNull('d.to_size'),
  toSha256: column.text.orNull('d.to_sha256'),
})

/**
 * The version of a path in the state `seq`: the last row that began at or before it, unless that row had ended. A path
 * has one row for each version.
 */
const side = (
  seq: string,
) => `select v.id, b.size, b.sha256, b.claimed from (select f.id, f.blob_id, f.to_seq from files f
          where f.repo_id = :repoId and f.path = p.path and f.from_seq <= ${seq} order by f.from_seq desc limit 1) v
        join blobs b on b.id = v.blob_id where v.to_seq is null or v.to_seq > ${seq}`

const there = (seq: string) => `exists (select 1 from repos r where r.id = :repoId and (r.seq = ${seq} or ${seq} = 0
      or exists (select 1 from repo_changes c where c.repo_id = r.id and c.seq = ${seq})))`

const between = (column: string) =>
  `t.${column} > least(:from::int, :to::int) and t.${column} <= greatest(:from::int, :to::int)`
const ofRepo = 't.repo_id = :repoId and t.path >= :lower'

/**
 * Paths that a change between the two states touched. `byPath` reads in the order of paths and stops at the end of the
 * page; `byChange` reads all changes, for states with few changes between them.
 */
const touched = {
  byPath: `select distinct t.path from files t where ${ofRepo} and ((${between('from_seq')}) or (${between('to_seq')}))`,
  byChange: `select t.path from files t where ${ofRepo} and ${between('from_seq')} union select t.path from files t
    where ${ofRepo} and ${between('to_seq')}`,
}

/**
 * The touched paths with both sides of each. States that exist and do not differ yield one row of nulls; a state that
 * no longer exists yields no row.
 */
const diffPage = (variant: '' | '-of-few', paths: string) =>
  statement({
    name: `files-diff${variant}`,
    exact: 'per-parent',
    columns: diffColumns,
    params: {
      repoId: param.text(),
      from: param.int4(),
      to: param.int4(),
      lower: param.text(),
      limit: param.int8(),
    },
    text: `select ${diffColumns.sql} from (select 1) q
    left join lateral (select p.path, coalesce(y.id, x.id) as id, x.size as from_size, x.sha256 as from_sha256,
      y.size as to_size, y.sha256 as to_sha256
      from (${paths} order by path) p
      left join lateral (${side(':from::int')}) x on true
      left join lateral (${side(':to::int')}) y on true
      where (x.id is not null or y.id is not null)
        and (x.claimed is distinct from y.claimed or x.size is distinct from y.size)
      order by p.path limit :limit) d on true
    where ${there(':from::int')} and ${there(':to::int')} order by d.path`,
  })

const pages = {
  byPath: diffPage('', touched.byPath),
  byChange: diffPage('-of-few', touched.byChange),
}

/** Above either limit, `byPath` is used. */
const FEW_FILES = 5000
const FEW_CHANGES = 1000

const sizeColumns = columns({
  changes: column.int4('count(*)::int'),
  files: column.int8('coalesce(sum(c.files_added + c.files_removed + c.files_changed), 0)::int8'),
})
const touchedFiles = statement({
  name: 'files-diff-size',
  exact: 'per-parent',
  columns: sizeColumns,
  params: { repoId: param.text(), low: param.int4(), high: param.int4() },
  text: `select ${sizeColumns.sql}
    from (select * from repo_changes where repo_id = :repoId and seq > :low and seq <= :high
      order by seq limit ${FEW_CHANGES + 1}) c`,
})

/** The faster of the two statements; both give the same result. */
async function pageFor({ deps: { db } }: Pick<RequestContext, 'deps'>, repoId: string, from: number, to: number) {
  const [size] = await db.query(touchedFiles, { repoId, low: Math.min(from, to), high: Math.max(from, to) })
  const isFew = size !== undefined && size.changes <= FEW_CHANGES && size.files <= FEW_FILES
  return isFew ? pages.byChange : pages.byPath
}

export interface DiffInput {
  readonly owner: string
  readonly repo: string
  readonly from: string
  /** The current state if absent. */
  readonly to?: string | null
  readonly limit: number
  readonly after: string | null
}

const isPathOrRow = (part: KeyPart): part is string | number =>
  typeof part === 'string' ? pathFault(part) === null : Number.isSafeInteger(part)
const isSeq = (part: KeyPart): part is number => Number.isInteger(part)

/**
 * getRepoDiff: the differences in byte order of path. Without `to`, later pages compare with the state that was current
 * at the first page. Errors: 401, 403, 404, 422 `validation.cursor`.
 */
export async function diffStates(ctx: RequestContext, input: DiffInput): Promise<Page<FileDiff>> {
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  const from = await findState(ctx, repo, input.from, ['from'])
  const listing = `diff:${repo.id}:${from.seq}:${input.to ?? ''}`
  const [key, seq] =
    input.after === null
      ? [null, null]
      : decodeCursor<[string | number, number]>(listing, input.after, [isPathOrRow, isSeq])
  const to = await seqOf(ctx, repo, input.to ?? null, seq)
  const lower = key === null ? '' : justAfter(await pathOf(ctx, repo, key))
  const rows = await ctx.deps.db.query(await pageFor(ctx, repo.id, from.seq, to), {
    repoId: repo.id,
    from: from.seq,
    to,
    lower,
    limit: input.limit + 1,
  })
  if (rows.length === 0) throw goneState(repo.fullName, `${input.from} or ${input.to ?? to}`)
  const found = rows.flatMap(toDiff)
  return {
    nodes: found.slice(0, input.limit),
    hasNextPage: found.length > input.limit,
    cursorOf(file) {
      const byPath = encodeCursor(listing, [file.path, to])
      return byPath.length <= MAX_CURSOR_LENGTH ? byPath : encodeCursor(listing, [file.rowId, to])
    },
  }
}

/**
 * The `seq` of the second state. A forged cursor may contain any number, so a number other than the current state needs
 * the same rights as a state that is named by its number.
 */
async function seqOf(ctx: RequestContext, repo: RepoFacts, to: string | null, kept: number | null): Promise<number> {
  if (to !== null) return (await findState(ctx, repo, to, ['to'])).seq
  if (kept === null || kept === repo.seq) return repo.seq
  const state = await findState(ctx, repo, String(kept), ['after']).catch((error: unknown) => {
    if (!(error instanceof HubError && (error.status === 401 || error.status === 403))) throw error
    const detail = `${repo.fullName} has changed since the first page. Start again without the cursor.`
    throw error.reworded(detail, [{ type: error.type, detail }], null)
  })
  return state.seq
}

async function pathOf(ctx: RequestContext, repo: RepoFacts, key: string | number): Promise<string> {
  if (typeof key === 'string') return key
  const [row] = await ctx.deps.db.query(pathOfRow, { id: key, repo: repo.id })
  if (row) return row.path
  const detail = 'The cursor is malformed or too old: its file no longer exists. Start again without it.'
  throw invalid('validation.cursor', detail, ['after'])
}

function toDiff(row: RowOf<typeof diffColumns>): FileDiff[] {
  if (row.path === null) return []
  const before = row.fromSize === null ? null : { size: row.fromSize, sha256: row.fromSha256 }
  const after = row.toSize === null ? null : { size: row.toSize, sha256: row.toSha256 }
  const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
  return [{ path: row.path, change, before, after, rowId: row.rowId }]
}
