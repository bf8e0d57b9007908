/**
 * deleteRun (contract, "Deleting a repo"): deletes an ended run without forks, with its data. Its cost stays in the
 * ledger.
 */

import { assertNotAgent, assertNotJob, assertRunsFor } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { dropReferences } from '../../repos/references.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { terminalStatuses } from '../../work/job-state.ts'
import { releaseRunStorage } from '../report/run-storage.ts'
import { findRun, type HeldRun, lockRun } from '../run-row.ts'

const SHOWN = 20

const idColumn = columns({ id: column.text('c.id') })

/** Forks whose owner can see the run: the run's owner, a member of that org, or the run's creator. */
const forks = statement({
  name: 'run-forks',
  exact: 'in-transaction',
  columns: idColumn,
  params: { runId: param.text() },
  text: `select ${idColumn.sql} from runs p join runs c on c.parent_run_id = p.id
    where p.id = :runId and (c.owner_id = p.owner_id or c.owner_id = p.created_by
      or exists (select 1 from memberships m where m.org_id = p.owner_id and m.user_id = c.owner_id))
    order by c.id limit ${SHOWN}`,
})

/** Detaches the forks of accounts that can no longer see the run: for them it is already gone. */
const orphan = statement({
  name: 'run-forks-orphan',
  params: { parentRunId: param.text() },
  text: 'update runs set parent_run_id = null where parent_run_id = :parentRunId',
})

const deletedRunRow = insertSelected('deleted_runs', {
  runId: sql('id'),
  createdBy: sql('created_by'),
  filedBy: sql('filed_by'),
  reserved: sql(`priced and status <> 'canceled'`),
  maxHours: sql('max_hours'),
  createdAt: sql('created_at'),
  repoIds: sql(
    `(select coalesce(array_agg(distinct d.repo_id), '{}') from run_datasets d where d.run_id = u.id and d.repo_id is not null)`,
  ),
})

/** Keeps the GPU hours that still count against the daily quota, and the repos that the purge job needs. */
const bury = statement({
  name: 'run-bury',
  params: { id: param.text() },
  text: `${deletedRunRow.sql} from runs u where id = :id`,
})

const remove = statement({ name: 'run-delete', params: { id: param.text() }, text: 'delete from runs where id = :id' })

/**
 * Deletes an ended run; a job clears its metrics, log and objects. A model whose meta block names it by `source_run_id`
 * keeps the name. Errors: 401, 403 (also for every agent key, a job's key, and a caller who is not of the billed
 * account), 404, 409 `conflict.not_ended` and `conflict.referenced` naming the runs that descend from it.
 */
export function deleteRun(ctx: RequestContext, input: { readonly runId: string }): Promise<{ id: string }> {
  return guarded(
    ctx,
    () => mayDelete(ctx, input.runId),
    (allowed, { id }) =>
      commitVerb(allowed, async (tx) => {
        await applyDelete(allowed, tx, await lockRun(tx, id))
        return { id }
      }),
  )
}

async function mayDelete(ctx: RequestContext, runId: string): Promise<HeldRun> {
  const found = await findRun(ctx, runId)
  const viewer = assertRunsFor(ctx.viewer, found.ownerId, 'write')
  assertNotJob(viewer, 'delete a run')
  assertNotAgent(viewer, 'delete a run')
  return found
}

/** A concurrent fork waits for the row lock, and then finds the run deleted. */
async function applyDelete(ctx: RequestContext, tx: Tx, run: HeldRun): Promise<void> {
  assertEnded(run)
  await assertNoForks(tx, run.id)
  await tx.query(orphan, { parentRunId: run.id })
  await dropReferences(tx, run.id)
  await tx.query(bury, { id: run.id })
  await releaseRunStorage(tx, run.id)
  await tx.query(remove, { id: run.id })
  await ctx.deps.queue.send(tx, 'run-purge', { runId: run.id })
  const before = { status: run.status, executor: run.executor, priced: run.priced }
  await audit(tx, ctx, { action: 'run.delete', accountId: run.ownerId, targetId: run.id, before })
  tx.afterCommit(() => ctx.deps.events.hint(run.id))
}

function assertEnded(run: HeldRun): void {
  if (terminalStatuses.includes(run.status)) return
  throw new HubError('conflict.not_ended', `The run is ${run.status}; cancel it, or wait until it has ended.`)
}

async function assertNoForks(tx: Tx, runId: string): Promise<void> {
  const rows = await tx.query(forks, { runId })
  if (rows.length === 0) return
  throw new HubError('conflict.referenced', 'Other runs descend from this one; delete them first.', {
    items: rows.map(({ id }) => ({ type: 'conflict.referenced', detail: `${id} descends from it.`, referrer: id })),
  })
}
