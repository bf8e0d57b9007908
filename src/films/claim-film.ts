/** A worker takes the film that has waited longest, for a lease. */
import { repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import type { RequestContext } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { statement } from '../store/statement.ts'
import { claimLeased } from '../work/claim-leased.ts'
import type { ClaimNextInput } from '../work/claim-next.ts'
import { abortAfterCommit } from '../work/job-objects.ts'
import { announceLeased, claimedSql, claimParams, oldestSql } from '../work/leased-row.ts'
import { type EpisodeFilm, filmWork, goneFilm, isAsItWasSql, readFilm, robotOfSql, withoutBytes } from './film-rows.ts'

const taken = columns({
  id: column.text('f.id'),
  repoId: column.text('f.repo_id'),
  /** What the attempt before, which was lost, had announced. */
  storageKey: column.text.orNull('next.storage_key'),
  storeUploadId: column.text.orNull('next.store_upload_id'),
})

/** Both in the state that the film is of, and seen by the caller. */
const asTheyWere = (f: string) => `exists (select 1 from repos r join repos t on t.id = ${robotOfSql(f)}
          where r.id = ${f}.repo_id and ${isAsItWasSql(f, 'r', 't')}
            and ${repoVisibleSql('t')})`

const also = ', c.storage_key, c.store_upload_id'
const oldest = { table: 'episode_films', id: 'id', when: asTheyWere('c'), also, from: '' } as const

/** An account has 50 open films at most, which are read in index order. */
const claimOldest = statement({
  name: 'episode-film-claim',
  columns: taken,
  params: { ...repoViewer, ...claimParams },
  text: `with ${oldestSql(oldest)}
    update episode_films f set ${claimedSql('f')}, ${withoutBytes('true')}
    from next where f.id = next.id returning ${taken.sql}`,
})

/** The claimed film, or null if none became available in time. Errors: 401, 403. */
export function claimNextEpisodeFilm(ctx: RequestContext, input: ClaimNextInput): Promise<EpisodeFilm | null> {
  return claimLeased(
    ctx,
    {
      ...filmWork,
      async take(allowed, tx, { accountIds: ownerIds, credentialId }, worker) {
        const given = { ...visibleRepos(allowed.viewer), ownerIds, credentialId, worker }
        const [found] = await tx.query(claimOldest, given)
        const film = found ? await readFilm(tx, allowed.viewer, found) : null
        if (!film) return null
        const { id, ownerId, repoId, attempt } = film
        if (found) abortAfterCommit(allowed.deps, tx, [found])
        const after = { film: id, worker, attempt }
        await audit(tx, allowed, { action: 'episode_film.claim', accountId: ownerId, targetId: repoId, after })
        announceLeased(tx, allowed.deps.events, filmWork, film)
        return film
      },
      async again({ deps, viewer }, claimed) {
        const now = await readFilm(deps.db, viewer, claimed)
        if (!now) throw goneFilm(claimed)
        return now
      },
    },
    input,
  )
}
