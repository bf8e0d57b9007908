/** What an endpoint serves of its model repo: one ONNX file, or a checkpoint directory. Spec, createEndpoint rule 2. */
import { checkpointDigest } from '@hub/formats/policy/checkpoint-digest'
import { stampPaths } from '@hub/formats/policy/onnx-stamps'
import { prefixSuccessor } from '@hub/text/file-path'
import { HubError } from '../../platform/errors.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { ArtifactKind } from '../endpoint-shape.ts'
import { type ArtifactRequest, type ArtifactShape, chooseShape, nothingToServe, placesOf } from './choose-shape.ts'

/** More files than any checkpoint has: each is hashed into the digest. */
const MAX_FILES = 10_000
const NAMED = 5
/** Shapes of one kind that are looked for: two of a kind are already a choice of the caller's. */
const MAX_SHAPES = 20

const shapeColumns = columns({ path: column.text('f.path'), kind: column.text<ArtifactKind>('f.kind') })

/** ONNX files at the root, and directories with a manifest and files under `policy/`; the empty text is the root. */
const shapesOf = statement({
  name: 'endpoint-artifact-shapes',
  exact: 'aggregate',
  columns: shapeColumns,
  params: { repoId: param.text() },
  text: `select ${shapeColumns.sql} from (
      (select o.path, 'onnx' as kind from files o where o.repo_id = :repoId and o.to_seq is null
        and o.path ~* '^[^/]+\\.onnx$'
        order by o.path limit ${MAX_SHAPES})
      union all
      (select left(m.path, greatest(length(m.path) - length('/manifest.json'), 0)), 'checkpoint' from files m
        where m.repo_id = :repoId and m.to_seq is null
          and (m.path = 'manifest.json' or right(m.path, 14) = '/manifest.json')
          and exists (select 1 from files p where p.repo_id = :repoId and p.to_seq is null
            and p.path >= left(m.path, -13) || 'policy/' and p.path < left(m.path, -13) || 'policy0')
        order by m.path limit ${MAX_SHAPES})) f`,
})

const pathColumns = columns({ path: column.text('f.path') })

/** Paths that the search for an example reads: a refusal costs no more for a repo of a million files. */
const MAX_READ = 1000

/** An ONNX file in a folder, which a run that publishes checkpoints leaves: an example of how they are named. */
const onnxBelow = statement({
  name: 'endpoint-artifact-onnx-below',
  exact: 'aggregate',
  columns: pathColumns,
  params: { repoId: param.text() },
  text: `select ${pathColumns.sql} from (select l.path from files l where l.repo_id = :repoId and l.to_seq is null
      order by l.path desc limit ${MAX_READ}) f
    where f.path ~* '/[^/]+\\.onnx$' order by f.path desc limit 1`,
})

const fileColumns = columns({
  path: column.text('f.path'),
  storageKey: column.text('b.storage_key'),
  sizeBytes: column.int8('b.size'),
  sha256: column.text.orNull('b.sha256'),
})

export type ArtifactFile = RowOf<typeof fileColumns>

/** Files at `paths`, and those from `lower` up to `upper`. */
const filesOf = statement({
  name: 'endpoint-artifact-files',
  exact: 'in-transaction',
  columns: fileColumns,
  params: {
    repoId: param.text(),
    paths: param.texts(),
    lower: param.text(),
    upper: param.text(),
  },
  text: `select ${fileColumns.sql} from files f join blobs b on b.id = f.blob_id
    where f.repo_id = :repoId and f.to_seq is null
      and (f.path = any(:paths::text[]) or f.path >= :lower and f.path < :upper)
    order by f.path limit ${MAX_FILES + 1}`,
})

export interface Artifact {
  readonly kind: ArtifactKind
  readonly path: string
  /** The digest that the endpoint is pinned to, of bytes that the hub hashed itself. */
  readonly sha256: string
  readonly files: readonly ArtifactFile[]
  /** `contract.json` and `manifest.json` next to an ONNX file, as far as they are there. */
  readonly beside: readonly ArtifactFile[]
}

interface ModelRepo {
  readonly id: string
  readonly fullName: string
}

/**
 * The artifact that the request names, or the only one there is. Errors: 422 a choice that the request has to make, or
 * a path that is not an ONNX file; 409 `conflict.no_artifact` for a directory that is not a checkpoint, and
 * `conflict.unverified` for files that the hub has not hashed yet.
 */
export async function findArtifact(querier: Querier, repo: ModelRepo, request: ArtifactRequest): Promise<Artifact> {
  const isNamed = request.onnxPath != null || request.policyPath != null
  const found = isNamed ? [] : await querier.query(shapesOf, { repoId: repo.id })
  const shape = chooseShape(request, found, repo.fullName)
  if (!shape) {
    const below = await querier.query(onnxBelow, { repoId: repo.id })
    const names = below.map(({ path }) => path)
    throw noArtifact(nothingToServe(repo.fullName, names))
  }
  return shape.kind === 'onnx' ? onnxArtifact(querier, repo, shape) : checkpointArtifact(querier, repo, shape)
}

async function onnxArtifact(querier: Querier, repo: ModelRepo, { path }: ArtifactShape): Promise<Artifact> {
  const paths = [path, ...stampPaths(path)]
  const files = await querier.query(filesOf, { repoId: repo.id, paths, lower: '', upper: '' })
  const model = files.find((file) => file.path === path)
  if (!model || !/\.onnx$/i.test(path)) {
    const detail = `${JSON.stringify(path)} is not an ONNX file of ${repo.fullName}.`
    throw new HubError('validation.value', detail, { items: [{ type: 'validation.value', detail, loc: ['onnxPath'] }] })
  }
  const beside = files.filter((file) => file !== model)
  const [sha256 = ''] = verified(repo, [model, ...beside])
  return { kind: 'onnx', path, sha256, files: [model], beside }
}

async function checkpointArtifact(querier: Querier, repo: ModelRepo, shape: ArtifactShape): Promise<Artifact> {
  for (const path of placesOf(shape)) {
    const prefix = path === '' ? '' : `${path}/`
    const manifest = `${prefix}manifest.json`
    const policy = `${prefix}policy/`
    const range = { paths: [manifest], lower: policy, upper: prefixSuccessor(policy) }
    const files = await querier.query(filesOf, { repoId: repo.id, ...range })
    if (!files.some((file) => file.path === manifest)) continue
    if (files.length === 1) throw noArtifact(`${place(repo, path)} has a manifest.json, and no file under policy/.`)
    if (files.length > MAX_FILES) throw noArtifact(`${place(repo, path)} has more than ${MAX_FILES} files.`)
    const digests = verified(repo, files)
    const lines = files.map((file, index) => ({ path: file.path.slice(prefix.length), sha256: digests[index] ?? '' }))
    return { kind: 'checkpoint', path, sha256: checkpointDigest(lines), files, beside: [] }
  }
  throw noArtifact(
    `${place(repo, shape.path)} is not a checkpoint directory: that has a manifest.json, and the policy's files under policy/.`,
  )
}

const place = (repo: ModelRepo, path: string) =>
  path === '' ? `The root of ${repo.fullName}` : `${JSON.stringify(path)} of ${repo.fullName}`

const noArtifact = (detail: string) => new HubError('conflict.no_artifact', detail)

/**
 * The digests of these files, which the hub computed itself; 409 `conflict.unverified` naming those that it has not.
 */
function verified(repo: ModelRepo, files: readonly ArtifactFile[]): string[] {
  const open = files.filter(({ sha256 }) => sha256 === null)
  if (open.length === 0) return files.map(({ sha256 }) => sha256 ?? '')
  const names = open.slice(0, NAMED).map(({ path }) => JSON.stringify(path))
  const more = open.length > NAMED ? ` and ${open.length - NAMED} more` : ''
  throw new HubError(
    'conflict.unverified',
    `The hub is still hashing files of ${repo.fullName}: ${names.join(', ')}${more}.`,
  )
}
