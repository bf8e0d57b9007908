/** A worker takes the check that has waited longest, for a lease. */
import { repoViewer } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import { statement } from '../../store/statement.ts'
import { claimLeased } from '../../work/claim-leased.ts'
import type { ClaimNextInput } from '../../work/claim-next.ts'
import { announceLeased, claimedSql, claimParams, oldestSql } from '../../work/leased-row.ts'
import { checksOfRepos, checkWork, type DatasetCheck, readCheck } from './check-rows.ts'

const taken = columns({ repoId: column.text('d.repo_id'), seq: column.int4('d.seq') })

const oldest = {
  ...{ table: 'dataset_checks', id: 'repo_id', when: '' },
  ...{ also: ', r.seq', from: 'join repos r on r.id = any(array[w.repo_id])' },
} as const

/**
 * The state that is checked is the newest one. The repos are not locked: the state of a repo that changes meanwhile
 * stays readable.
 */
const claimOldest = statement({
  name: 'dataset-check-claim',
  columns: taken,
  params: { repoIds: repoViewer.repoIds, ...claimParams },
  text: `with ${oldestSql(oldest)}
    update dataset_checks d set ${claimedSql('d')}, seq = greatest(d.seq, next.seq), again = false,
      episodes_done = 0, episodes_total = null, error = null
    from next where d.repo_id = next.repo_id returning ${taken.sql}`,
})

/** The claimed check, or null if none became available in time. Errors: 401, 403. */
export function claimNextDatasetCheck(ctx: RequestContext, input: ClaimNextInput): Promise<DatasetCheck | null> {
  return claimLeased(
    ctx,
    {
      ...checkWork,
      async take(allowed, tx, { accountIds: ownerIds, repoIds, credentialId }, worker) {
        const [found] = await tx.query(claimOldest, { ownerIds, repoIds, credentialId, worker })
        if (!found) return null
        const check = await readCheck(tx, found.repoId)
        const { ownerId, repoId, attempt, seq } = check
        const after = { worker, attempt, seq }
        await audit(tx, allowed, { action: 'dataset_check.claim', accountId: ownerId, targetId: repoId, after })
        announceLeased(tx, allowed.deps.events, checkWork, check)
        return check
      },
      async again({ deps }, { repoId }) {
        const [now] = await checksOfRepos(deps.db, [repoId])
        if (!now) throw new HubError('not_found', 'The data set has no check.')
        return now
      },
    },
    input,
  )
}
