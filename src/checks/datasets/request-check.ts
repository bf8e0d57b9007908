/** Asks for a check of a data set as it is now. Contract, "Checks of data sets". */
import { assertNotJob } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { DATASET_INFO_PATH } from '../../repos/dataset-info.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { announceLeased } from '../../work/leased-row.ts'
import { checkWork, type DatasetCheck, readCheck } from './check-rows.ts'

const row = insertInto('dataset_checks', {
  repoId: param.text(),
  ownerId: param.text(),
  status: 'queued',
  cause: 'person',
  seq: param.int4(),
  requestedBy: param.text.orNull(),
})

/**
 * The row of the repo: one that waits waits for what is newest, one that runs is done once more afterwards if the files
 * have changed since it began.
 */
const request = statement({
  name: 'dataset-check-request',
  params: row.params,
  text: `${row.sql}
    on conflict (repo_id) do update set
      again = dataset_checks.status = 'running' and dataset_checks.seq < excluded.seq,
      status = case when dataset_checks.status = 'running' then 'running' else 'queued' end::"JobStatus",
      seq = case when dataset_checks.status = 'running' then dataset_checks.seq else excluded.seq end,
      cause = case when dataset_checks.status = 'running' then dataset_checks.cause else 'person' end,
      requested_by = case when dataset_checks.status = 'running' then dataset_checks.requested_by
        else excluded.requested_by end,
      requested_at = case when dataset_checks.status in ('queued', 'running') then dataset_checks.requested_at
        else now() end,
      lost = case when dataset_checks.status = 'running' then dataset_checks.lost else 0 end,
      error = case when dataset_checks.status = 'running' then dataset_checks.error end`,
})

const infoColumn = columns({ isThere: column.bool('count(*) > 0') })
const info = statement({
  name: 'dataset-check-info-file',
  exact: 'in-transaction',
  columns: infoColumn,
  params: { repoId: param.text() },
  text: `select ${infoColumn.sql} from files f
    where f.repo_id = :repoId and f.path = '${DATASET_INFO_PATH}' and f.to_seq is null`,
})

/**
 * The check of the repo, which a worker of the owner takes: queued, or running as it was. Errors: 401, 403, 404, 409
 * `conflict.wrong_kind` for what is not a LeRobot data set.
 */
export function requestDatasetCheck(
  ctx: RequestContext,
  input: { readonly owner: string; readonly repo: string },
): Promise<DatasetCheck> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'ask for a check of a data set')
      assertDataset(repo)
      return repo
    },
    (allowed, { id, fullName }) =>
      commitVerb(allowed, async (tx) => {
        const repo = await lockRepo(tx, id)
        if (!repo) throw notFound(`The repo ${fullName}`)
        await assertHasInfo(tx, repo)
        const requestedBy = allowed.viewer.kind === 'anonymous' ? null : allowed.viewer.personId
        await tx.query(request, { repoId: id, ownerId: repo.ownerId, seq: repo.seq, requestedBy })
        await audit(tx, allowed, {
          action: 'dataset_check.create',
          accountId: repo.ownerId,
          targetId: id,
          after: { seq: repo.seq },
        })
        const check = await readCheck(tx, id)
        announceLeased(tx, allowed.deps.events, checkWork, check)
        return check
      }),
  )
}

function assertDataset({ kind, fullName }: RepoFacts): void {
  if (kind !== 'dataset')
    throw new HubError('conflict.wrong_kind', `${fullName} is a ${kind} repo; only data sets are checked so.`)
}

async function assertHasInfo(tx: Querier, { id, fullName }: RepoFacts): Promise<void> {
  const [found] = await tx.query(info, { repoId: id })
  if (found?.isThere) return
  const detail = `${fullName} has no ${DATASET_INFO_PATH}: only data sets of LeRobot are checked.`
  throw new HubError('conflict.wrong_kind', detail)
}
