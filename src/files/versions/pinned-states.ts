/**
 * The states that jobs have pinned, for callers who see the job: reading a state needs the same access as reading its
 * repo. Contract, "Lineage".
 */
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { visibleRepo } from '../../repos/repo-shape.ts'
import { column } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { type RepoState, stateColumns, toState } from './states.ts'

/** A state as a job has recorded it: the repo, and the number of its last change at that time. */
export interface Pin {
  readonly repoId: string
  readonly seq: number
}

const pinnedColumns = stateColumns.with({ place: column.int4('t.place::int') })

const pinned = statement({
  name: 'repo-states-pinned',
  exact: 'per-parent',
  columns: pinnedColumns,
  params: { ...repoViewer, pinnedIds: param.texts(), seqs: param.int4s() },
  text: `select ${pinnedColumns.sql}
    from unnest(:pinnedIds::text[], :seqs::int[]) with ordinality as t(repo_id, seq, place)
    join repos r on r.id = t.repo_id join accounts o on o.id = r.owner_id
    left join repo_changes c on c.repo_id = r.id and c.seq = t.seq where ${visibleRepo}`,
})

/**
 * The state of each pin, in the order requested; null if the caller does not see the repo, or the state no longer
 * exists. One statement.
 */
export async function pinnedStates(
  { deps, viewer }: Pick<RequestContext, 'deps' | 'viewer'>,
  pins: readonly Pin[],
): Promise<(RepoState | null)[]> {
  const given = { pinnedIds: pins.map(({ repoId }) => repoId), seqs: pins.map(({ seq }) => seq) }
  const rows = await deps.db.query(pinned, { ...visibleRepos(viewer), ...given })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return pins.map((_, index) => {
    const row = byPlace.get(index + 1)
    return row ? toState(row) : null
  })
}
