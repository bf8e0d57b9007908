/** The policies of a version of a model that rollouts have run, by their bytes. */
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { assertTimeLeftHere } from '../platform/processor-time.ts'
import { turns } from '../platform/turns.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { MAX_POLICY_FILES } from './limits.ts'
import { policyDigest } from './policy-digest.ts'

const fileColumns = columns({
  repoId: column.text('q.repo_id'),
  policyPath: column.text('p.policy_path'),
  path: column.text('f.path'),
  sha256: column.text.orNull('b.sha256'),
})

/**
 * The paths are those of kept results, of which a model has a bounded number; `stampPaths` names the same files. Each is
 * looked up (`limit 1`): as a join, all files of a version would be compared with all policies.
 */
export const policyFiles = statement({
  name: 'rollout-policies-at',
  exact: 'per-parent',
  columns: fileColumns,
  params: { repoIds: param.texts(), seqs: param.int4s() },
  text: `select ${fileColumns.sql} from unnest(:repoIds::text[], :seqs::int[]) as q(repo_id, seq)
    cross join lateral (select c.policy_path, regexp_replace(c.policy_path, '[^/]*$', '') as folder
      from rollouts c where c.model_repo_id = q.repo_id group by c.policy_path) p
    cross join lateral unnest(array[p.policy_path, p.folder || 'contract.json', p.folder || 'manifest.json']) as n(path)
    cross join lateral (select l.path, l.blob_id, l.to_seq from files l where l.repo_id = q.repo_id and l.path = n.path
      and l.from_seq <= q.seq order by l.from_seq desc limit 1) f
    join blobs b on b.id = f.blob_id where f.to_seq is null or f.to_seq > q.seq limit ${MAX_POLICY_FILES + 1}`,
})

/** A policy of a version of a repo. */
export interface PolicyAt {
  readonly repoId: string
  readonly path: string
  readonly digest: string
}

/** A digest takes some microseconds. */
const POLICIES_PER_TURN = 1000

/**
 * The policies of these versions at the paths that results name; none that the hub is still hashing. 413 where they are
 * of too many files. One statement.
 */
export async function policiesAt(
  { deps }: Pick<RequestContext, 'deps'>,
  versions: readonly { readonly repoId: string; readonly seq: number }[],
): Promise<PolicyAt[]> {
  const rows = await deps.db.query(policyFiles, {
    repoIds: versions.map(({ repoId }) => repoId),
    seqs: versions.map(({ seq }) => seq),
  })
  if (rows.length > MAX_POLICY_FILES) throw tooMany()
  const byPolicy = [...Map.groupBy(rows, ({ repoId, policyPath }) => `${repoId} ${policyPath}`).values()]
  const policies: PolicyAt[] = []
  for (let at = 0; at < byPolicy.length; at += POLICIES_PER_TURN) {
    await turns.next()
    assertTimeLeftHere()
    policies.push(...byPolicy.slice(at, at + POLICIES_PER_TURN).flatMap(policyOf))
  }
  return policies
}

function policyOf(found: readonly RowOf<typeof fileColumns>[]): PolicyAt[] {
  const [first] = found
  const files = found.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [{ path, sha256 }]))
  if (!first || files.length < found.length) return []
  const { repoId, policyPath: path } = first
  return files.some((file) => file.path === path) ? [{ repoId, path, digest: policyDigest(path, files) }] : []
}

const tooMany = () =>
  new HubError(
    'too_large',
    `These versions have more than ${MAX_POLICY_FILES} files of policies that results name: ask for fewer models at a time.`,
    { facts: { unit: 'files', limit: MAX_POLICY_FILES, used: null } },
  )
