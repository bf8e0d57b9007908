/** Deletes entries of the audit log that are older than AUDIT_RETENTION_S. */
import { firstIdAt } from '@hub/formats/ids'
import type { Deps } from '../operation/context.ts'
import { AUDIT_KEPT_LEAST } from '../platform/config-environment.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const BATCH_ROWS = 5000

const idColumn = columns({ id: column.text('id') })

const allowColumn = columns({ is: column.text("set_config('hub.audit_retention', 'on', true)") })

/** The trigger `audit_log_keeps_young` refuses any other transaction, and younger entries in this one too. */
const allow = statement({
  name: 'audit-retention-allow',
  exact: 'in-transaction',
  columns: allowColumn,
  text: `select ${allowColumn.sql}`,
})

/** Ids sort by the time of their entries, so the primary key finds the oldest. */
const drop = statement({
  name: 'audit-drop-old',
  columns: idColumn,
  params: { before: param.text() },
  text: `delete from audit_log where id in (select id from audit_log where id < :before
      and at < now() - make_interval(secs => ${AUDIT_KEPT_LEAST}) order by id limit ${BATCH_ROWS})
    returning ${idColumn.sql}`,
})

/** Deletes in batches, each with a commit of its own, so that a process that dies has lost at most one. */
export async function dropOldAuditEntries(deps: Pick<Deps, 'db' | 'config'>, signal: AbortSignal): Promise<void> {
  const { auditKeptSeconds } = deps.config
  if (auditKeptSeconds === 0) return
  const before = firstIdAt('aud', Date.now() - auditKeptSeconds * 1000)
  const dropBatch = async (tx: Tx) => {
    await tx.query(allow)
    return (await tx.query(drop, { before })).length
  }
  while ((await deps.db.withTx(dropBatch)) === BATCH_ROWS) signal.throwIfAborted()
}
