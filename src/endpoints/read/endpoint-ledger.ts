/**
 * The ledger entries of endpoints: one for each session, written when the endpoint ends. Spec, "Endpoint" in "States
 * and transitions".
 */
import { column, columns } from '../../store/columns.ts'
import { childPages } from '../child-pages.ts'

/** Pages in the order of sessions, newest first; empty until the endpoint ends. */
export const billedSessions = childPages(
  {
    name: 'endpoint-ledger',
    prefix: 'esess',
    table: 'endpoint_sessions',
    alias: 's',
    columns: columns({
      id: column.text('s.id'),
      /** Id of the ledger entry. */
      entryId: column.text('l.id'),
    }),
    joins: 'join ledger l on l.job_id = s.id',
    statusSql: 'c.status::text',
  },
  'endpoint_id',
)
