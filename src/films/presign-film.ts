/** A worker announces the bytes of its film, and gets the address that takes them. Contract, "Films of episodes". */
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { requireCredential } from '../auth/policy.ts'
import { assertRoom } from '../files/reservation.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { lockRepo } from '../repos/get-repo.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { asStoreRefusal, requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'
import { abortAfterCommit, abortRefused, newJobKey } from '../work/job-objects.ts'
import { assertHolds, fenceParams, heldSql } from '../work/leased-row.ts'
import { filmObjects } from './film-objects.ts'
import { type EpisodeFilm, filmWork, goneFilm, readFilm } from './film-rows.ts'
import { heldFilm, type NamedFilm } from './held-film.ts'
import { MAX_STILL_BYTES, MAX_VIDEO_BYTES } from './limits.ts'

export interface PresignFilmInput extends NamedFilm {
  /** Bytes. */
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** What signs the address. No field has its members. */
export interface FilmTicket {
  readonly storageKey: string
  readonly storeUploadId: string
  readonly size: number
}

const replacedColumns = columns({
  storageKey: column.text.orNull('old.storage_key'),
  storeUploadId: column.text.orNull('old.store_upload_id'),
})

const announce = statement({
  name: 'episode-film-announce',
  columns: replacedColumns,
  params: {
    id: param.text(),
    ...fenceParams,
    storageKey: param.text(),
    storeUploadId: param.text(),
    size: param.int4(),
    sha256: param.text(),
  },
  text: `with old as (select e.id, e.storage_key, e.store_upload_id from episode_films e where e.id = :id for update)
    update episode_films f set storage_key = :storageKey, store_upload_id = :storeUploadId, size = :size,
      sha256 = :sha256 from old
    where f.id = old.id and ${heldSql('f')}
    returning ${replacedColumns.sql}`,
  rewrites: 'id',
})

const announcedColumns = columns({ bytes: column.int8('coalesce(sum(f.size), 0)::int8') })

/**
 * Of the films that workers of the account are sending: read of the rows, so a film that is lost, tried again, deleted
 * or at its end counts as what it is then. At most 50 rows, in index order; the account is locked.
 */
const announcedBeside = statement({
  name: 'episode-films-announced',
  exact: 'in-transaction',
  columns: announcedColumns,
  params: { ownerId: param.text(), id: param.text() },
  text: `select ${announcedColumns.sql} from episode_films f
    where f.owner_id = :ownerId and f.status = 'running' and f.id <> :id`,
})

/**
 * One upload, in place of one that was announced before. Errors: 401, 403, 404, 409 `conflict.not_claimer`, 413 for a
 * film over its limit and for `quota.storage`, 503.
 */
export function presignEpisodeFilm(ctx: RequestContext, input: PresignFilmInput): Promise<FilmTicket> {
  return guarded(
    ctx,
    () => heldFilm(ctx, input, 'send a film'),
    (allowed, film) => presign(allowed, film, input),
    // No replay after the claim was lost: bytes that are sent to its URL then are not counted.
    async (_ticket, film) => assertHolds(ctx, filmWork, film, input.attempt),
  )
}

async function presign(ctx: AllowedContext, film: EpisodeFilm, { attempt, size, sha256 }: PresignFilmInput) {
  const { credentialId } = requireCredential(ctx.viewer)
  assertHolds(ctx, filmWork, film, attempt)
  const most = film.kind === 'still' ? MAX_STILL_BYTES : MAX_VIDEO_BYTES
  if (size > most) {
    const detail = `A ${film.kind} has at most ${most} bytes; this one has ${size}.`
    throw new HubError('too_large', detail, { facts: { unit: 'bytes', limit: most, used: size } })
  }
  // So that a request that must fail creates nothing in the store.
  await assertRoom(ctx.deps.db, ctx.deps.config, film.ownerId, { bytes: size, uploads: 0 })
  const upload = await begin(ctx, film)
  try {
    return await commitVerb(ctx, async (tx) => {
      await assertRoomBeside(ctx, tx, film, size)
      const replaced = await tx.query(announce, { id: film.id, attempt, credentialId, size, sha256, ...upload })
      if (replaced.length === 0) {
        const now = await readFilm(tx, ctx.viewer, film)
        if (!now) throw goneFilm(film)
        assertHolds(ctx, filmWork, now, attempt)
      }
      abortAfterCommit(ctx.deps, tx, replaced)
      return { ...upload, size }
    })
  } catch (error) {
    await abortRefused(ctx, upload, error)
    throw error
  }
}

/** 413 where the films that are sent at the same time do not all fit. Locks as a report does: the repo, the account. */
async function assertRoomBeside({ deps }: AllowedContext, tx: Tx, film: EpisodeFilm, bytes: number): Promise<void> {
  const repo = await lockRepo(tx, film.repoId)
  if (!repo) throw notFound(`The repo ${film.repo}`)
  const { ownerId } = repo
  await lockAccounts(tx, [ownerId])
  const [beside] = await tx.query(announcedBeside, { ownerId, id: film.id })
  await assertRoom(tx, deps.config, ownerId, { bytes, uploads: 0, announced: beside?.bytes ?? 0 })
}

async function begin(ctx: RequestContext, { id, kind }: EpisodeFilm): Promise<Omit<FilmTicket, 'size'>> {
  const object = filmObjects[kind]
  const storageKey = newJobKey(object, id)
  try {
    const { contentType } = object
    const storeUploadId = await requireObjects(ctx.deps).createUpload(storageKey, { contentType, signal: ctx.signal })
    return { storageKey, storeUploadId }
  } catch (error) {
    throw asStoreRefusal(error)
  }
}
