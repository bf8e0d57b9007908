/**
 * The first dataset of this hub that a recipe names, as input of the planner. Read failures are warnings, never errors.
 */

import { ownDataset } from '@hub/formats/dataset-ref'
import { repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { MAX_DATASET_INFO_BYTES } from '../repos/dataset-info.ts'
import { visibleRepo } from '../repos/repo-shape.ts'
import { column, columns } from '../store/columns.ts'
import { paidChunks } from '../store/objects/paid-calls.ts'
import { param, statement } from '../store/statement.ts'
import { type DatasetFacts, parseDatasetFacts } from './dataset-facts.ts'
import type { Recipe } from './recipe/recipe.ts'

/** Both null if the dataset has no `meta/info.json`. */
const infoColumns = columns({
  storageKey: column.text.orNull('b.storage_key'),
  sizeBytes: column.int8.orNull('b.size'),
})

const infoOfDataset = statement({
  name: 'planner-dataset-info',
  exact: 'aggregate',
  columns: infoColumns,
  params: { ...repoViewer, owner: param.text(), slug: param.text() },
  text: `select ${infoColumns.sql} from repos r join accounts o on o.id = r.owner_id
    left join files f on f.repo_id = r.id and f.path = 'meta/info.json' and f.to_seq is null
    left join blobs b on b.id = f.blob_id
    where o.handle = :owner and r.slug = :slug and r.kind = 'dataset' and ${visibleRepo}`,
})

export interface ReadDataset {
  readonly dataset: DatasetFacts | null
  readonly warnings: readonly string[]
}

/** Reads the dataset's `meta/info.json`: one statement, and one read of at most 1 MiB from the store. */
export async function readDataset(ctx: RequestContext, recipe: Recipe): Promise<ReadDataset> {
  const refs = recipe.dataset ?? []
  const ref = refs.find((candidate) => ownDataset(candidate))
  const name = ref === undefined ? null : ownDataset(ref)
  if (ref === undefined || name === null)
    return refs.length === 0 ? { dataset: null, warnings: [] } : without('No dataset of this hub is named')
  const [row] = await ctx.deps.db.query(infoOfDataset, {
    ...visibleRepos(ctx.viewer),
    owner: name.owner,
    slug: name.slug,
  })
  if (!row) return without(`${ref} is not a dataset visible to you`)
  if (row.storageKey === null) return without(`${ref} has no meta/info.json`)
  const notRead = `${ref} has a meta/info.json that is not of a LeRobot dataset v2.0, v2.1 or v3.0`
  if (Number(row.sizeBytes) > MAX_DATASET_INFO_BYTES) return without(notRead)
  const bytes = await storedBytes(ctx, row.storageKey)
  if (bytes === null) return without(`The object store did not return meta/info.json of ${ref}`)
  const dataset = parseDatasetFacts(ref, bytes)
  return dataset ? { dataset, warnings: [] } : without(notRead)
}

const without = (reason: string): ReadDataset => ({
  dataset: null,
  warnings: [`${reason}; the registry's values are used instead.`],
})

/** Null if there is no store or it fails: a recommendation does not depend on it. */
async function storedBytes(ctx: RequestContext, key: string): Promise<Buffer | null> {
  const { objects, log } = ctx.deps
  if (!objects) return null
  try {
    const { body } = await objects.get(key, { signal: ctx.signal })
    const chunks: Buffer[] = []
    for await (const chunk of paidChunks(body)) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch (error) {
    ctx.signal.throwIfAborted()
    log.warn({ err: error, requestId: ctx.requestId }, 'meta/info.json could not be read for a recommendation')
    return null
  }
}
