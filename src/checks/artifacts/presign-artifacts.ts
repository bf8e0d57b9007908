/**
 * presignRobotCheckArtifacts (spec, "POST /v1/robot-checks/{check_id}/artifacts"): one presigned PUT for each file that
 * a check makes. Each file is an upload of one part, which a report completes. After that, a URL that is still valid
 * cannot change the bytes that the hub has hashed.
 */
import { assertRunsFor } from '../../auth/policy.ts'
import { assertDistinct } from '../../files/duplicates.ts'
import { assertNoClashBetween } from '../../files/path-clashes.ts'
import { assertRoom } from '../../files/reservation.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import type { Querier } from '../../store/db.ts'
import { asStoreRefusal, requireObjects } from '../../store/objects/required.ts'
import { abortAfterCommit, abortRefused, countStored, newJobKey } from '../../work/job-objects.ts'
import { checkJob } from '../check-job.ts'
import { assertHolds, findCheck, type HeldCheck, lockCheck } from '../check-row.ts'
import { CHECK_URL_TTL_SECONDS, MAX_ARTIFACTS } from '../limits.ts'
import { checkObjects } from '../log/check-objects.ts'
import { CARD_NAME, isArtifactName } from './artifact-name.ts'
import { type ArtifactRow, artifactNames, findArtifacts, forgetCard, putArtifacts } from './artifact-rows.ts'

export interface ArtifactRequest {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly contentType?: string | null
}

export interface PresignArtifactsInput {
  readonly checkId: string
  readonly files: readonly ArtifactRequest[]
}

/** RobotCheckJobArtifactUpload without its URL. */
export type ArtifactTicket = Omit<ArtifactRow, 'sha256'>

/**
 * The uploads are in the order of `files`. Errors: 401, 403, 404, 409 unless the caller holds the running check, 409
 * `conflict.path` for names that cannot be files next to each other, 413 if the storage quota of the check's account is
 * exceeded, 422 for a name that the check may not make and for more than 100 artifacts of the check, 503.
 */
export function presignArtifacts(
  ctx: RequestContext,
  input: PresignArtifactsInput,
): Promise<{ uploads: ArtifactTicket[] }> {
  return guarded(
    ctx,
    () => mayMake(ctx, input.checkId),
    (allowed, check) => presign(allowed, check, input),
    // No replay after the check has ended: bytes that are sent to its URLs then are not counted.
    async (_uploads, check) => assertHolds(ctx, check),
  )
}

async function mayMake(ctx: RequestContext, checkId: string): Promise<HeldCheck> {
  const check = await findCheck(ctx, checkId)
  assertRunsFor(ctx.viewer, check.ownerId, 'write', 'The check')
  return check
}

async function presign(ctx: AllowedContext, check: HeldCheck, { files }: PresignArtifactsInput) {
  assertHolds(ctx, check)
  assertAccepted(check, files)
  const { config, db } = ctx.deps
  await assertFilesTogether(db, check.id, files)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  // An early check before the uploads are created in the store. The count in the transaction decides.
  const there = await findArtifacts(db, check.id, namesIn(files))
  await assertRoom(db, config, check.ownerId, { bytes: growthOf(there, bytes), uploads: 0 })
  const uploads = await Promise.all(files.map((file) => begin(ctx, check.id, file)))
  const kept = commitVerb(ctx, async (tx) => {
    assertHolds(ctx, await lockCheck(tx, check.id))
    await assertFilesTogether(tx, check.id, files)
    const replaced = await findArtifacts(tx, check.id, namesIn(files))
    await putArtifacts(tx, check.id, uploads)
    // One that a report has named has no open upload; a reader may be in the middle of it until it is collected.
    abortAfterCommit(
      ctx.deps,
      tx,
      replaced.filter(({ sha256 }) => sha256 === null),
    )
    if (files.some(({ name }) => name === CARD_NAME)) await forgetCard(tx, check.id)
    await countStored(tx, config, checkJob, { id: check.id, ownerId: check.ownerId, bytes: growthOf(replaced, bytes) })
    return { uploads }
  })
  return kept.catch(async (error: unknown) => {
    await Promise.all(uploads.map((upload) => abortRefused(ctx, upload, error)))
    throw error
  })
}

const namesIn = (files: readonly ArtifactRequest[]) => files.map(({ name }) => name)

/** Growth of the check in bytes: a new artifact replaces one of the same name. */
const growthOf = (replaced: readonly ArtifactRow[], bytes: number) =>
  replaced.reduce((left, { size }) => left - size, bytes)

function assertAccepted(check: HeldCheck, files: readonly ArtifactRequest[]): void {
  assertDistinct(
    files.map(({ name }) => name),
    'name',
    (index) => ['files', index, 'name'],
  )
  const items = files.flatMap(({ name }, index) =>
    isArtifactName(name, check)
      ? []
      : [
          {
            type: 'validation.value',
            detail: `${JSON.stringify(name)} is not a file that such a check makes`,
            loc: ['files', index, 'name'],
          },
        ],
  )
  if (items.length > 0) throw new HubError('validation.failed', items.map(({ detail }) => detail).join('; '), { items })
}

/**
 * The artifacts of a check become files of one repo: 409 `conflict.path` for a file and a folder at one path. A request
 * has no more than a check may have, but a check has many requests: 422. Under the lock of the check it decides.
 */
async function assertFilesTogether(
  querier: Querier,
  checkId: string,
  files: readonly ArtifactRequest[],
): Promise<void> {
  const asked = files.map(({ name }) => name)
  const before = await artifactNames(querier, checkId)
  const all = new Set([...before, ...asked])
  if (all.size > MAX_ARTIFACTS) {
    const detail = `A check has at most ${MAX_ARTIFACTS} artifacts; it has ${before.length}, and would have ${all.size}.`
    throw invalid('validation.value', detail, ['files'])
  }
  assertNoClashBetween(asked, all, 'check', (name) => ['files', asked.indexOf(name), 'name'])
}

async function begin(ctx: RequestContext, checkId: string, file: ArtifactRequest): Promise<ArtifactTicket> {
  const contentType = file.contentType ?? null
  const storageKey = newJobKey(checkObjects.files, checkId)
  try {
    const storeUploadId = await requireObjects(ctx.deps).createUpload(storageKey, {
      contentType: contentType ?? undefined,
      signal: ctx.signal,
    })
    return { name: file.name, size: file.size, contentType, storageKey, storeUploadId }
  } catch (error) {
    throw asStoreRefusal(error)
  }
}

/** A URL that accepts a PUT of exactly the announced size for an hour. No network call. */
export function signUpload(
  ctx: Pick<RequestContext, 'deps'>,
  ticket: Pick<ArtifactTicket, 'size' | 'storageKey' | 'storeUploadId'>,
): string | Promise<string> {
  const part = { partNumber: 1, sizeBytes: ticket.size }
  return requireObjects(ctx.deps).signPart(ticket.storageKey, ticket.storeUploadId, part, CHECK_URL_TTL_SECONDS)
}
