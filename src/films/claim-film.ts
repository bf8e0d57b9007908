/** A worker takes the film that has waited longest, for a lease; exactly one of many claims gets it. */
import { assertLevel, repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, Credentialed, RequestContext } from '../operation/context.ts'
import { findRepoByIdToWrite } from '../repos/get-repo.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { CANDIDATES, type ClaimNextInput, claimsFor, unlessNothing, untilClaimed } from '../work/claim-next.ts'
import {
  announceFilm,
  assertHolds,
  type EpisodeFilm,
  goneFilm,
  readFilm,
  waitingTopic,
  withoutBytes,
} from './film-rows.ts'
import { LEASE_SECONDS, MAX_LOST } from './limits.ts'

const taken = columns({ id: column.text('f.id'), repoId: column.text('f.repo_id') })

/** What a worker may take: one that waits, or one whose lease ended without a report. */
const claimable = (f: string) => `${f}.status in ('queued', 'running') and (${f}.status = 'queued'
          or ${f}.lease_expires_at <= now() and ${f}.lost + 1 < ${MAX_LOST})`

/** Both in the state that the film is of, and seen by the caller. */
const asTheyWere = (f: string) => `exists (select 1 from repos r join repos t on t.id = ${f}.robot_repo_id
          where r.id = ${f}.repo_id and r.seq = ${f}.seq and t.seq = ${f}.robot_seq
            and ${repoVisibleSql('t')})`

/** An account has 50 open films at most, which are read in index order. */
const claimOldest = statement({
  name: 'episode-film-claim',
  columns: taken,
  params: { ...repoViewer, ownerIds: param.texts(), worker: param.text(), credentialId: param.text() },
  text: `with waiting as materialized (
      select w.id, w.requested_at from unnest(:ownerIds::text[]) account(id) cross join lateral (
        select c.id, c.requested_at from episode_films c where c.owner_id = account.id and ${claimable('c')}
          and (:repoIds::text[] is null or c.repo_id = any(:repoIds::text[])) and ${asTheyWere('c')}
          order by c.requested_at, c.id limit ${CANDIDATES}) w
      order by w.requested_at, w.id limit ${CANDIDATES}),
    next as (
      select c.id from waiting w join episode_films c on c.id = any(array[w.id]) where ${claimable('c')}
      order by w.requested_at, w.id limit 1 for update of c skip locked)
    update episode_films f set status = 'running', lost = case when f.status = 'running' then f.lost + 1 else 0 end,
      attempt = f.attempt + 1, worker = :worker, claim_credential = :credentialId,
      lease_expires_at = now() + interval '${LEASE_SECONDS} seconds', started_at = now(), finished_at = null,
      ${withoutBytes('true')}
    from next where f.id = next.id returning ${taken.sql}`,
})

/** The claimed film, or null if none became available in time. Errors: 401, 403. */
export function claimNextEpisodeFilm(
  ctx: RequestContext,
  { worker, waitS, owner }: ClaimNextInput,
): Promise<EpisodeFilm | null> {
  return guarded(
    ctx,
    () => claimsFor(ctx, assertLevel(ctx.viewer, 'write'), owner ?? null, 'films'),
    (allowed, credential) =>
      untilClaimed(allowed, { topics: credential.accountIds.map(waitingTopic), waitS: waitS ?? 0 }, () =>
        claim(allowed, credential, worker),
      ),
    async (claimed, { credentialId }) => {
      // A worker that reads a claim starts to work: no replay after the claim was lost.
      if (!claimed) return
      await findRepoByIdToWrite(ctx, claimed.repoId, claimed.repo)
      const now = await readFilm(ctx.deps.db, ctx.viewer, claimed)
      if (!now) throw goneFilm(claimed)
      assertHolds(now, { credentialId, attempt: claimed.attempt })
    },
  )
}

function claim(ctx: AllowedContext, credential: Credentialed, worker: string): Promise<EpisodeFilm | null> {
  const { accountIds, credentialId } = credential
  return unlessNothing((nothing) =>
    commitVerb(ctx, async (tx) => {
      const given = { ...visibleRepos(ctx.viewer), ownerIds: accountIds, credentialId, worker }
      const [found] = await tx.query(claimOldest, given)
      const film = found && (await readFilm(tx, ctx.viewer, found))
      if (!film) throw nothing
      const after = { film: film.id, worker, attempt: film.attempt }
      await audit(tx, ctx, { action: 'episode_film.claim', accountId: film.ownerId, targetId: film.repoId, after })
      announceFilm(tx, ctx.deps.events, film)
      return film
    }),
  )
}
