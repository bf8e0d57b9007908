/**
 * The repos of this hub that a recipe names. The run pins the datasets to their state at its creation, and its
 * references keep all of the repos from being deleted. Contract, "Deleting a repo".
 */

import { ownDataset } from '@hub/formats/dataset-ref'
import { fullNameText } from '@hub/formats/text-rules'
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import type { Recipe } from '../../planner/recipe/recipe.ts'
import { addReferences, type Reference } from '../../repos/references.ts'
import { visibleRepo } from '../../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { each, insertEach, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { type PinnedSelection, withSelections } from './named-selections.ts'

const namedColumns = columns({
  id: column.text('r.id'),
  kind: column.enum<'RepoKind', 'dataset' | 'robot'>('RepoKind', 'r.kind'),
  fullName: column.text("o.handle || '/' || r.slug"),
  seq: column.int4('r.seq'),
})
type NamedRepo = RowOf<typeof namedColumns>

export interface PinnedRef {
  readonly ref: string
  readonly repo: { readonly id: string; readonly seq: number } | null
  /** The selection of its episodes that the ref names, whose state is pinned; null for all of them. */
  readonly selection: PinnedSelection | null
}

export interface NamedRepos {
  readonly datasets: readonly PinnedRef[]
  readonly robotId: string | null
  /** The ids of datasets and robot, without duplicates. */
  readonly ids: readonly string[]
}

/**
 * The lock blocks deletion and changes of files until the references are inserted: collection relies on it that what a
 * run pins is live when the pin commits. Other runs do not wait. Locks are taken in the order of ids.
 */
const lockNamed = statement({
  name: 'run-named-repos',
  columns: namedColumns,
  params: { ...repoViewer, names: param.texts() },
  text: `select ${namedColumns.sql} from repos r join accounts o on o.id = r.owner_id
    where (o.handle, r.slug) in (select split_part(n, '/', 1), split_part(n, '/', 2) from unnest(:names::text[]) n)
      and r.kind in ('dataset', 'robot') and ${visibleRepo}
    order by r.id for share of r`,
})

/**
 * Resolves and locks the repos that the recipe names and the viewer can see, in one statement (none if the recipe names
 * no repo). Names that are not found are left for the executor to report.
 */
export async function lockNamedRepos(tx: Querier, viewer: Viewer, recipe: Recipe): Promise<NamedRepos> {
  const refs = (recipe.dataset ?? []).map((ref) => ({ ref, ...ownOf(ref) }))
  const robot = fullNameText.safeParse(recipe.robot?.toLowerCase()).data ?? null
  const names = [...refs.map(({ name }) => name), robot].filter((name) => name !== null)
  const given = { ...visibleRepos(viewer), names: [...new Set(names)] }
  const found = names.length === 0 ? [] : await tx.query(lockNamed, given)
  const find = (kind: NamedRepo['kind'], name: string | null) =>
    found.find((repo) => repo.kind === kind && repo.fullName === name) ?? null
  const datasets = await withSelections(
    tx,
    refs.map(({ ref, name, selection }) => ({ ref, selection, repo: find('dataset', name) })),
  )
  const robotId = find('robot', robot)?.id ?? null
  const ids = [...datasets.map(({ repo }) => repo?.id ?? null), robotId].filter((id) => id !== null)
  return { datasets, robotId, ids: [...new Set(ids)] }
}

/**
 * 422 for a selection that createRun would refuse, for the operations that make no run. No statement where the recipe
 * names no selection.
 */
export async function assertSelections({ deps, viewer }: RequestContext, recipe: Recipe): Promise<void> {
  const isAsked = (recipe.dataset ?? []).some((ref) => ownOf(ref).selection !== null)
  if (isAsked) await deps.db.withTx((tx) => lockNamedRepos(tx, viewer, recipe))
}

function ownOf(ref: string): { readonly name: string | null; readonly selection: string | null } {
  const { owner, slug, selection = null } = ownDataset(ref) ?? {}
  return { name: owner === undefined ? null : `${owner}/${slug}`, selection }
}

/** In the order of the recipe. A dataset that is not a visible repo of this hub has neither `repo_id` nor `seq`. */
const datasetRows = insertEach('run_datasets', {
  runId: param.text(),
  position: sql('given.place - 1'),
  ref: each('refs', param.texts()),
  repoId: each('repoIds', param.texts<readonly (string | null)[]>()),
  seq: each('seqs', param.int4s<readonly (number | null)[]>()),
  selection: each('selections', param.texts<readonly (string | null)[]>()),
  selectedCount: each('counts', param.int4s<readonly (number | null)[]>()),
  selectionFingerprint: each('fingerprints', param.texts<readonly (string | null)[]>()),
})

const insertDatasets = statement({ name: 'run-datasets-insert', params: datasetRows.params, text: datasetRows.sql })

/** Inserts the datasets and the references of a run, in the transaction that creates the run. */
export async function insertNamedRepos(
  tx: Querier,
  run: { readonly id: string; readonly ownerId: string },
  named: NamedRepos,
): Promise<void> {
  const { datasets, robotId } = named
  if (datasets.length > 0) {
    await tx.query(insertDatasets, {
      runId: run.id,
      refs: datasets.map(({ ref }) => ref),
      repoIds: datasets.map(({ repo }) => repo?.id ?? null),
      seqs: datasets.map(({ repo }) => repo?.seq ?? null),
      selections: datasets.map(({ selection }) => selection?.name ?? null),
      counts: datasets.map(({ selection }) => selection?.count ?? null),
      fingerprints: datasets.map(({ selection }) => selection?.fingerprint ?? null),
    })
  }
  const references: Reference[] = datasets.flatMap(({ repo }) => (repo ? [{ repoId: repo.id, reason: 'dataset' }] : []))
  if (robotId !== null) references.push({ repoId: robotId, reason: 'robot' })
  await addReferences(tx, { ...run, kind: 'run' }, references)
}
