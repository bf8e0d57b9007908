/** A worker says that it goes on with a film, or how it ended. Contract, "Films of episodes". */
import { requireCredential } from '../auth/policy.ts'
import { takeArtifact } from '../checks/artifacts/take-artifacts.ts'
import { countBytes } from '../files/reservation.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, invalid, notFound } from '../platform/errors.ts'
import { lockRepo } from '../repos/get-repo.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { abortAfterCommit } from '../work/job-objects.ts'
import {
  announceLeased,
  assertHolds,
  endedSql,
  failureOf,
  fenceParams,
  heldSql,
  renewedSql,
} from '../work/leased-row.ts'
import { countFilmBytes } from './film-bytes.ts'
import { type EpisodeFilm, filmWork, goneFilm, isAsItWasSql, readFilm, withoutBytes } from './film-rows.ts'
import { heldFilm, type NamedFilm } from './held-film.ts'

export interface ReportFilmInput extends NamedFilm {
  /** The end: `failed` with `error`; absent while it goes on. */
  readonly status?: 'succeeded' | 'failed' | null
  readonly error?: string | null
}

const fenced = { id: param.text(), ...fenceParams }
const held = `f.id = :id and ${heldSql('f')}`

const told = columns({ status: column.enum('JobStatus', 'f.status') })

const goOn = statement({
  name: 'episode-film-go-on',
  columns: told,
  params: fenced,
  text: `update episode_films f set ${renewedSql} where ${held} returning ${told.sql}`,
  rewrites: 'id',
})

/** The state is read after the film was made: where the files have changed since, what it shows is not certain. */
const end = statement({
  name: 'episode-film-end',
  columns: told,
  params: { ...fenced, error: param.text.orNull(), storageKey: param.text.orNull() },
  text: `with now as (select ${isAsItWasSql('e', 'r', 'b')} as same
      from episode_films e join repos r on r.id = e.repo_id left join repos b on b.id = e.robot_repo_id
      where e.id = :id),
    outcome as (select now.same and :error::text is null as is_made, case when :error::text is not null then :error
        when not now.same then 'The files of the data set or the robot changed meanwhile: ask again.' end as error
      from now)
    update episode_films f set ${endedSql},
      status = case when outcome.is_made then 'succeeded' else 'failed' end::"JobStatus", error = outcome.error,
      ${withoutBytes('not outcome.is_made')}
    from outcome where ${held} and f.storage_key is not distinct from coalesce(:storageKey, f.storage_key)
    returning ${told.sql}`,
})

/**
 * The film afterwards; its lease begins again, or ends. Errors: 401, 403, 404, 409 `conflict.not_claimer` for a worker
 * that has lost it, and `conflict.in_progress` for one that was announced again meanwhile, 413 `quota.storage`, 422 for `succeeded` without the bytes that were announced, 503.
 */
export function reportEpisodeFilm(ctx: RequestContext, input: ReportFilmInput): Promise<EpisodeFilm> {
  return guarded(
    ctx,
    () => heldFilm(ctx, input, 'report on a film'),
    async (allowed, film) => {
      assertHolds(ctx, filmWork, film, input.attempt)
      if (input.status === 'succeeded')
        await takeFilm(allowed, film).catch(async (error: unknown) => {
          if (error instanceof HubError && error.type === 'store.lost') await assertSame(allowed, film, input.attempt)
          throw error
        })
      return commitVerb(allowed, (tx) => write(allowed, tx, film, input))
    },
  )
}

/**
 * Bytes that the store has no more are lost only if the film still names them: who deletes a film, ends it with another
 * report or announces it again removes them. 404, 409.
 */
async function assertSame(ctx: RequestContext, film: EpisodeFilm, attempt: number): Promise<void> {
  const now = await readFilm(ctx.deps.db, ctx.viewer, film)
  if (!now) throw goneFilm(film)
  assertHolds(ctx, filmWork, now, attempt)
  if (now.storageKey !== film.storageKey) throw announcedAgain()
}

const announcedAgain = () =>
  new HubError('conflict.in_progress', 'The film was announced again meanwhile: send it, and report again.')

/** Completes the upload and hashes it: the bytes that are shown are those that were announced. */
async function takeFilm(ctx: RequestContext, film: EpisodeFilm): Promise<void> {
  const { id, storageKey, storeUploadId, sha256, size } = film
  const row =
    storageKey !== null && storeUploadId !== null ? { name: id, storageKey, storeUploadId, sha256: null } : null
  const taken = row && (await takeArtifact(ctx, row))
  if (!taken) throw invalid('validation.required', 'Send the film first: its bytes were never uploaded.', ['status'])
  if (taken.sha256 === sha256 && taken.size === size) return
  throw invalid('validation.value', 'The bytes that were sent are not those that were announced.', ['status'])
}

async function write(ctx: AllowedContext, tx: Tx, film: EpisodeFilm, input: ReportFilmInput): Promise<EpisodeFilm> {
  const { credentialId } = requireCredential(ctx.viewer)
  const { status, attempt } = input
  const fence = { id: film.id, attempt, credentialId }
  // The owner is that of the lock: the repo may have moved since the film was found.
  const repo = await lockRepo(tx, film.repoId)
  if (!repo) throw notFound(`The repo ${film.repo}`)
  const storageKey = status === 'succeeded' ? film.storageKey : null
  const error = status === 'failed' ? failureOf(input.error) : null
  const [written] = status ? await tx.query(end, { ...fence, error, storageKey }) : await tx.query(goOn, fence)
  const after = await readFilm(tx, ctx.viewer, film)
  if (!after) throw goneFilm(film)
  if (!written) {
    assertHolds(ctx, filmWork, after, attempt)
    throw announcedAgain()
  }
  if (status) {
    const what = { film: film.id, status: after.status, attempt, error: after.error }
    await audit(tx, ctx, { action: 'episode_film.finish', accountId: repo.ownerId, targetId: repo.id, after: what })
  }
  // What it had announced was forgotten.
  if (written.status === 'failed') abortAfterCommit(ctx.deps, tx, [film])
  if (written.status === 'succeeded' && after.size !== null) {
    await tx.query(countFilmBytes, { repoId: film.repoId, bytes: after.size })
    await countBytes(tx, ctx.deps.config, repo.ownerId, after.size)
  }
  announceLeased(tx, ctx.deps.events, filmWork, after)
  return after
}
