/**
 * The selections of episodes that the data sets of a recipe name (`svc://owner/repo#name`). The run keeps what it was
 * given, and pins the files that the selection is of. Contract, "Selections of episodes".
 */
import { invalid } from '../../platform/errors.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const selectionColumns = columns({
  repoId: column.text('s.repo_id'),
  name: column.text('s.name'),
  seq: column.int4('s.seq'),
  count: column.int4('s.count'),
  fingerprint: column.text('s.fingerprint'),
  isKept: column.bool('s.seq = r.seq or c.seq is not null'),
})

/** Collection removes the row of a state with its first file: the lock keeps it until the run pins the state. */
const named = statement({
  name: 'run-named-selections',
  columns: selectionColumns,
  params: { repoIds: param.texts(), names: param.texts() },
  text: `select ${selectionColumns.sql} from unnest(:repoIds::text[], :names::text[]) q(repo_id, name)
    join episode_selections s on s.repo_id = q.repo_id and s.name = q.name join repos r on r.id = s.repo_id
    left join lateral (select h.seq from repo_changes h where h.repo_id = s.repo_id and h.seq = s.seq for key share) c
      on true`,
})

/** A selection as a run keeps it. */
export type PinnedSelection = Pick<RowOf<typeof selectionColumns>, 'name' | 'count' | 'fingerprint'>

interface NamedDataset {
  readonly ref: string
  readonly selection: string | null
  readonly repo: { readonly id: string; readonly seq: number } | null
}

/**
 * The data sets with their selections; one statement, none where no ref names one. 422 for a selection that a repo does
 * not have, since a run without it would be of all episodes, and for one whose files are gone.
 */
export async function withSelections(tx: Querier, datasets: readonly NamedDataset[]) {
  const asked = datasets.flatMap(({ selection, repo }) =>
    selection !== null && repo ? [{ repoId: repo.id, name: selection }] : [],
  )
  const rows =
    asked.length === 0
      ? []
      : await tx.query(named, { repoIds: asked.map(({ repoId }) => repoId), names: asked.map(({ name }) => name) })
  const found = new Map(rows.map((row) => [`${row.repoId}#${row.name}`, row]))
  return datasets.map(({ ref, selection: name, repo }, at) => {
    if (name === null || !repo) return { ref, repo, selection: null }
    const selection = found.get(`${repo.id}#${name}`)
    if (!selection) throw refused(at, `${ref}: the data set has no selection ${name}; make it with hub data select`)
    const { seq, isKept } = selection
    if (!isKept) throw refused(at, `${ref}: the files of change ${seq}, which it selects from, are gone; select again`)
    return { ref, repo: { id: repo.id, seq }, selection }
  })
}

const refused = (at: number, detail: string) => invalid('validation.value', detail, ['recipe', 'dataset', at])
