/**
 * A path is a file or a folder (contract, "Text"): `x` and `x/y` are never both files of a repo, since no disk can hold
 * both. Each change of the files is checked in its own transaction, under the lock of the repo, so of two changes at
 * once the second one sees the files of the first. Requests that begin an upload are checked too, without the lock, so
 * that bytes are not sent in vain.
 */

import { clashesBetween, type PathClash, searchClashes } from '@hub/text/file-path'
import { type ErrorItem, HubError, type Loc } from '../platform/errors.ts'
import type { Sliced } from '../platform/slices.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier, Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const clashColumns = columns({ path: column.text('c.path'), other: column.text('c.other') })

/** The most that one error names; a restored state may have more. */
const MAX_NAMED = 100

/**
 * The least string above all that begin with `<path>/`: the character after the slash. The column's collation is that
 * of bytes.
 */
const below = (path: string, folder: string) => `${path} >= ${folder} || '/' and ${path} < ${folder} || '0'`

/**
 * The clashes of `given`, a query of paths, with the live files of the repo: an exact lookup for each distinct folder
 * above them, and for each path the first file of a range. Both use the index of live files, whatever the size of the
 * repo. A path is not a clash of itself.
 */
const clashSql = (given: string) => `with given as materialized (${given}),
    folders as materialized (select distinct part.folder from
      (select distinct left(path, -strpos(reverse(path), '/')) as path from given where strpos(path, '/') > 0) p
      cross join lateral (select string_agg(s.name, '/') over (order by s.n) as folder
        from string_to_table(p.path, '/') with ordinality as s(name, n)) part),
    above as materialized (select f.path from folders d
      cross join lateral (select path from files where repo_id = :repoId and to_seq is null and path = d.folder
        limit 1) f limit ${MAX_NAMED}),
    c as (select g.path, a.path as other from above a join given g on ${below('g.path', 'a.path')}
      union select g.path, f.path from given g
        cross join lateral (select path from files where repo_id = :repoId and to_seq is null
          and ${below('path', 'g.path')} order by path limit 1) f)
    select ${clashColumns.sql} from c order by c.path, c.other limit ${MAX_NAMED}`

/** Of paths that are to become files. */
export const clashesOfPaths = statement({
  name: 'files-clashes',
  exact: 'in-transaction',
  columns: clashColumns,
  params: { repoId: param.text(), paths: param.texts() },
  text: clashSql('select path from unnest(:paths::text[]) as t(path)'),
})

/** Of the files that a change has made. */
export const clashesOfRestored = statement({
  name: 'files-clashes-restored',
  exact: 'in-transaction',
  columns: clashColumns,
  params: { repoId: param.text(), seq: param.int4() },
  text: clashSql('select path from files where repo_id = :repoId and from_seq = :seq and to_seq is null'),
})

/** The place of a path in the request; null if the request does not name it. */
export type LocOfPath = (path: string) => Loc | null

/** 409 `conflict.path` for paths of one request that clash with each other: at each of them. */
export function assertNoClashWithin(paths: readonly string[], locOf: LocOfPath): void {
  assertNoClashBetween(paths, paths, 'request', locOf)
}

/** The same in slices, for as many paths as a commit has. */
export function* noClashWithin(paths: readonly string[], locOf: LocOfPath): Sliced<void> {
  refuse(yield* searchClashes(paths, paths), (clash) => together(clash, 'request'), locOf)
}

/**
 * 409 `conflict.path` for paths that clash with others that are to become files with them: of the request, or of a
 * check.
 */
export function assertNoClashBetween(
  paths: readonly string[],
  others: Iterable<string>,
  holder: 'request' | 'check',
  locOf: LocOfPath,
): void {
  refuse(clashesBetween(paths, others), (clash) => together(clash, holder), locOf)
}

/**
 * 409 `conflict.path` for paths that clash with files of the repo. One statement; the verdict lasts as long as the
 * caller holds the lock of the repo.
 */
export async function assertNoClash(
  querier: Querier,
  repoId: string,
  paths: readonly string[],
  locOf: LocOfPath,
): Promise<void> {
  const found = await querier.query(clashesOfPaths, { repoId, paths })
  const places = new Map(paths.map((path, index) => [path, index]))
  const placeOf = ({ path }: PathClash) => places.get(path) ?? 0
  refuse(
    found.toSorted((a, b) => placeOf(a) - placeOf(b)),
    inRepo,
    locOf,
  )
}

/**
 * 409 `conflict.path` for files that the change `seq` has made and that clash with each other or with files next to
 * them. One statement.
 */
export async function assertRestoredWithoutClash(tx: Tx, repoId: string, seq: number): Promise<void> {
  refuse(await tx.query(clashesOfRestored, { repoId, seq }), inState, () => null)
}

function refuse(clashes: readonly PathClash[], say: (clash: PathClash) => string, locOf: LocOfPath): void {
  const items = clashes.map((clash): ErrorItem => {
    const loc = locOf(clash.path)
    const names = [clash.path, clash.other]
    return { type: 'conflict.path', detail: say(clash), names, ...(loc && { loc }) }
  })
  const [first] = items
  if (first) throw new HubError('conflict.path', first.detail, { items })
}

const isBelow = ({ path, other }: PathClash) => path.startsWith(`${other}/`)

function together(clash: PathClash, holder: 'request' | 'check'): string {
  const [path, other] = [JSON.stringify(clash.path), JSON.stringify(clash.other)]
  return isBelow(clash)
    ? `${path} needs a folder where the ${holder} has the file ${other}. Leave one of them out, or choose another path.`
    : `${path} is a folder of the ${holder}, which has the file ${other}. Leave one of them out, or choose another path.`
}

function inRepo(clash: PathClash): string {
  const [path, other] = [JSON.stringify(clash.path), JSON.stringify(clash.other)]
  return isBelow(clash)
    ? `${path} needs a folder where the repo has the file ${other}. Delete ${other} first, or choose another path.`
    : `${path} is a folder of the repo, which has the file ${other}. Delete what is in the folder first, or choose another path.`
}

function inState(clash: PathClash): string {
  const [path, other] = [JSON.stringify(clash.path), JSON.stringify(clash.other)]
  return `The restoration brings back ${path}, and there would be ${other} too: one of them would be a file and a folder. Delete ${other} first, or restore with paths that leave one of them out.`
}
