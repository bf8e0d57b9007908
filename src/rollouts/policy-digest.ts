/** What a policy is by its bytes: its file, and the files beside it that say how it is run. */
import { checkpointDigest, type DigestedFile } from '@hub/formats/policy/checkpoint-digest'
import { stampPaths } from '@hub/formats/policy/onnx-stamps'
import { HubError, invalid } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const fileColumns = columns({ path: column.text('f.path'), sha256: column.text.orNull('b.sha256') })

const filesAt = statement({
  name: 'rollout-policy-files',
  exact: 'in-transaction',
  columns: fileColumns,
  params: { repoId: param.text(), seq: param.int4(), paths: param.texts() },
  text: `select ${fileColumns.sql} from files f join blobs b on b.id = f.blob_id
    where f.repo_id = :repoId and f.path = any(:paths::text[]) and f.from_seq <= :seq
      and (f.to_seq is null or f.to_seq > :seq)`,
})

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/** The ONNX file at `path`, and the files beside it that say what its numbers mean. */
export const policyPaths = (path: string): readonly string[] =>
  [path, ...stampPaths(path)].filter((one, at, all) => all.indexOf(one) === at)

/** Equal for equal bytes in equally named files, wherever their folder is. Lower-case hex SHA-256. */
export const policyDigest = (path: string, files: readonly DigestedFile[]): string =>
  checkpointDigest(files.map((file) => ({ ...file, path: file.path.slice(folderOf(path).length) })))

/**
 * The digest of the policy at `path` in a version of a repo. Errors: 422 where that has no such ONNX file, 409
 * `conflict.unverified` while the hub hashes it.
 */
export async function policyDigestAt(
  querier: Querier,
  repo: { readonly id: string; readonly fullName: string },
  seq: number,
  path: string,
): Promise<string> {
  const found = await querier.query(filesAt, { repoId: repo.id, seq, paths: policyPaths(path) })
  if (!/\.onnx$/i.test(path) || !found.some((file) => file.path === path))
    throw invalid('validation.value', `This version of ${repo.fullName} has no ONNX file ${JSON.stringify(path)}.`, [
      'policy',
    ])
  const files = found.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [{ path, sha256 }]))
  const open = found.find(({ sha256 }) => sha256 === null)
  if (open)
    throw new HubError(
      'conflict.unverified',
      `The hub is still hashing ${JSON.stringify(open.path)} of ${repo.fullName}; try again in a moment.`,
    )
  return policyDigest(path, files)
}
