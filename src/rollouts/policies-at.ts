/** The policies of a version of a model that rollouts have run, by their bytes. */
import type { RequestContext } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { policyDigest } from './policy-digest.ts'

const fileColumns = columns({
  repoId: column.text('q.repo_id'),
  policyPath: column.text('p.policy_path'),
  path: column.text('f.path'),
  sha256: column.text.orNull('b.sha256'),
})

/** The paths are those of kept results, of which a model has a bounded number; `stampPaths` names the same files. */
const policyFiles = statement({
  name: 'rollout-policies-at',
  exact: 'per-parent',
  columns: fileColumns,
  params: { repoIds: param.texts(), seqs: param.int4s() },
  text: `select ${fileColumns.sql} from unnest(:repoIds::text[], :seqs::int[]) as q(repo_id, seq)
    cross join lateral (select c.policy_path, regexp_replace(c.policy_path, '[^/]*$', '') as folder
      from rollouts c where c.model_repo_id = q.repo_id group by c.policy_path) p
    join files f on f.repo_id = q.repo_id and f.from_seq <= q.seq and (f.to_seq is null or f.to_seq > q.seq)
      and f.path = any(array[p.policy_path, p.folder || 'contract.json', p.folder || 'manifest.json'])
    join blobs b on b.id = f.blob_id`,
})

/** A policy of a version of a repo. */
export interface PolicyAt {
  readonly repoId: string
  readonly path: string
  readonly digest: string
}

/**
 * The policies of these versions at the paths that results name; none that the hub is still hashing. One statement.
 */
export async function policiesAt(
  { deps }: Pick<RequestContext, 'deps'>,
  versions: readonly { readonly repoId: string; readonly seq: number }[],
): Promise<PolicyAt[]> {
  const rows = await deps.db.query(policyFiles, {
    repoIds: versions.map(({ repoId }) => repoId),
    seqs: versions.map(({ seq }) => seq),
  })
  const byPolicy = Map.groupBy(rows, ({ repoId, policyPath }) => `${repoId} ${policyPath}`)
  return [...byPolicy.values()].flatMap((found) => {
    const [first] = found
    const files = found.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [{ path, sha256 }]))
    if (!first || files.length < found.length) return []
    const { repoId, policyPath: path } = first
    return files.some((file) => file.path === path) ? [{ repoId, path, digest: policyDigest(path, files) }] : []
  })
}
