/** The snapshot of a check: the files of a repo that the check is about, in the state of the repo's `seq`. */

import { HubError, invalid } from '../../platform/errors.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { texts } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import type { CheckRequest } from './check-request.ts'

/** A part of a repo: the files whose path begins with `prefix`; if `flat`, only the files directly in that folder. */
export interface SourcePart {
  readonly prefix: string
  readonly flat: boolean
}

export interface Snapshot extends SourcePart {
  readonly repoId: string
  readonly seq: number
  readonly count: number
  readonly bytes: number
}

const NAMED = 20

const counted = columns({
  count: column.int4('count(*)::int'),
  bytes: column.int8('coalesce(sum(b.size), 0)::int8'),
  paths: column.json(`coalesce(json_agg(f.path) filter (where f.path = any(:marks::text[])), '[]')`, texts),
  policyFiles: column.int4(`count(*) filter (where starts_with(f.path, :prefix || 'policy/'))::int`),
  unverified: column.json(
    `coalesce((array_to_json((array_agg(f.path order by f.path) filter (where b.sha256 is null))[1:${NAMED}])), '[]')`,
    texts,
  ),
})

const countSources = statement({
  name: 'robot-check-sources-count',
  exact: 'in-transaction',
  columns: counted,
  params: {
    repoId: param.text(),
    prefix: param.text(),
    flat: param.bool(),
    marks: param.texts(),
  },
  text: `select ${counted.sql} from files f join blobs b on b.id = f.blob_id where f.repo_id = :repoId
    and f.to_seq is null
    and starts_with(f.path, :prefix) and (not :flat::boolean or strpos(substr(f.path, length(:prefix) + 1), '/') = 0)`,
})

const isOnnx = (entry: string) => /\.onnx$/i.test(entry)

/**
 * A robot check is about its whole repo. A model check is about the directory of a checkpoint, or the folder of an ONNX
 * file, which also has the data of that file.
 */
export function sourcePart(kind: CheckRequest['kind'], entry: string): SourcePart {
  if (kind === 'robot') return { prefix: '', flat: false }
  if (isOnnx(entry)) return { prefix: entry.slice(0, entry.lastIndexOf('/') + 1), flat: true }
  return { prefix: `${entry}/`, flat: false }
}

/**
 * Counts the snapshot of a repo that the caller has locked against changes of its files. Errors: 422 if the entry is
 * not a file of the repo, or not a policy; 409 `conflict.unverified` naming files that the hub has not hashed yet.
 */
export async function takeSnapshot(
  tx: Querier,
  kind: CheckRequest['kind'],
  repo: RepoFacts,
  entry: string,
): Promise<Snapshot> {
  const part = sourcePart(kind, entry)
  const marks = marksOf(kind, entry)
  const [found] = await tx.query(countSources, { repoId: repo.id, ...part, marks })
  if (!found) throw new Error('A count has one row.')
  assertEntry(kind, entry, repo.fullName, found)
  if (found.unverified.length > 0) {
    const names = found.unverified.map((path) => JSON.stringify(path)).join(', ')
    throw new HubError('conflict.unverified', `The hub is still hashing files of ${repo.fullName}: ${names}.`)
  }
  return { ...part, repoId: repo.id, seq: repo.seq, count: found.count, bytes: found.bytes }
}

/** The paths whose presence shows that the entry exists. */
function marksOf(kind: CheckRequest['kind'], entry: string): string[] {
  if (kind === 'robot' || isOnnx(entry)) return [entry]
  return ['manifest.json', 'config.json', 'model.safetensors'].map((name) => `${entry}/${name}`)
}

function assertEntry(
  kind: CheckRequest['kind'],
  entry: string,
  repo: string,
  { paths, policyFiles }: { readonly paths: readonly string[]; readonly policyFiles: number },
): void {
  if (paths.includes(entry)) return
  const has = (name: string) => paths.includes(`${entry}/${name}`)
  if (kind === 'robot' || isOnnx(entry))
    throw invalid('validation.value', `${JSON.stringify(entry)} is not a file of ${repo}.`, ['entry'])
  if ((has('manifest.json') && policyFiles > 0) || (has('config.json') && has('model.safetensors'))) return
  const detail = `${JSON.stringify(entry)} is neither an ONNX file of ${repo} nor a directory of it with manifest.json and policy/, or config.json and model.safetensors.`
  throw invalid('validation.value', detail, ['entry'])
}
