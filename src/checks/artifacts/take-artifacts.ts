/**
 * Completes the artifacts that a report names in the object store and hashes them. Exactly these bytes are published
 * later.
 */

import { isJsonObject, parseExact } from '@hub/formats/exact-json'
import { freeFormFaults } from '@hub/formats/free-form-faults'
import { hashObject } from '../../files/hash-object.ts'
import { isNoSuchUpload } from '../../files/objects.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { asLost } from '../../store/objects/lost-object.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { asStoreRefusal, requireObjects } from '../../store/objects/required.ts'
import { readJobObject } from '../../work/job-objects.ts'
import type { Document } from '../check-shape.ts'
import { MAX_CARD_BYTES } from '../limits.ts'
import { type ArtifactRow, findArtifacts } from './artifact-rows.ts'

export interface TakenArtifact {
  readonly name: string
  readonly storageKey: string
  readonly sha256: string
  readonly size: number
}

/**
 * The artifacts in the order of `names`. Errors: 409 `conflict.in_progress` if another report is completing an
 * artifact, 422 if an artifact was never presigned or uploaded, 503.
 */
export async function takeArtifacts(
  ctx: RequestContext,
  checkId: string,
  names: readonly string[],
): Promise<TakenArtifact[]> {
  if (names.length === 0) return []
  const rows = new Map((await findArtifacts(ctx.deps.db, checkId, names)).map((row) => [row.name, row]))
  const taken: TakenArtifact[] = []
  for (const [index, name] of names.entries()) {
    const row = rows.get(name)
    const one = row ? await takeArtifact(ctx, row) : null
    if (!one)
      throw invalid('validation.value', `${JSON.stringify(name)} was never uploaded.`, ['artifacts', index, 'path'])
    taken.push(one)
  }
  return taken
}

/** The same for one upload, under a name for errors; null if nothing was uploaded. */
export async function takeArtifact(
  ctx: RequestContext,
  row: Pick<ArtifactRow, 'name' | 'storageKey' | 'storeUploadId' | 'sha256'>,
): Promise<TakenArtifact | null> {
  const objects = requireObjects(ctx.deps)
  try {
    if (row.sha256 === null && !(await complete(objects, row, ctx.signal))) return null
    const { sha256, sizeBytes } = await hashObject(objects, row.storageKey, ctx.signal)
    return { name: row.name, storageKey: row.storageKey, sha256, size: sizeBytes }
  } catch (error) {
    throw asStoreRefusal(asLost(nameOf(row), error, row.storageKey))
  }
}

const nameOf = ({ name }: Pick<ArtifactRow, 'name'>) => `The artifact ${JSON.stringify(name)}`

/**
 * False if nothing was uploaded; true also if another report has completed the upload. 409 `conflict.in_progress` if
 * another report is completing it.
 */
async function complete(
  objects: ObjectStore,
  row: Pick<ArtifactRow, 'name' | 'storageKey' | 'storeUploadId'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const parts = await objects.listParts(row.storageKey, row.storeUploadId, signal)
    if (parts.length === 0) return false
    await objects.completeUpload(row.storageKey, row.storeUploadId, parts, signal)
    return true
  } catch (error) {
    if (!isNoSuchUpload(error)) throw error
    if (await objects.head(row.storageKey, signal)) return true
    const detail = `Another report is completing the upload of ${JSON.stringify(row.name)}, or it has expired: send this report again, or presign the artifact again.`
    throw new HubError('conflict.in_progress', detail)
  }
}

/**
 * Reads `robot_card.json` from the store. 422 if it is over 1 MiB, is not a JSON object, or has values that a free-form
 * object may not have.
 */
export async function readCard(
  ctx: RequestContext,
  card: TakenArtifact,
  loc: readonly (string | number)[],
): Promise<Document> {
  const refuse = (why: string) => invalid('validation.value', `robot_card.json ${why}.`, loc)
  if (card.size > MAX_CARD_BYTES) throw refuse(`is over ${MAX_CARD_BYTES} bytes`)
  const text = await readJobObject(ctx.deps, card.storageKey, nameOf(card), ctx.signal)
  let value: unknown
  try {
    value = parseExact(text)
  } catch (error) {
    throw error instanceof HubError ? error : refuse('is not JSON')
  }
  if (!isJsonObject(value)) throw refuse('is not a JSON object')
  const [fault] = freeFormFaults(value)
  if (fault) throw refuse(`is not kept: ${fault.loc.slice(0, 5).join('.').slice(0, 200)} ${fault.message}`)
  return value
}
