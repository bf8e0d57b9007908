/** Approvals of endpoints and devices, newest first. */
import { childPages } from '../child-pages.ts'
import { approvalColumns } from './approval-row.ts'

const approvals = {
  name: 'approvals',
  prefix: 'appr',
  table: 'approvals',
  alias: 'p',
  columns: approvalColumns,
  joins: 'join accounts m on m.id = p.minted_by left join accounts r on r.id = p.revoked_by',
  // As `shownStatus`: one past its expiry has expired before the sweep says so.
  statusSql: `case when c.status in ('issued', 'running') and c.expires_at <= now() then 'expired' else c.status::text
    end`,
} as const

export const approvalsOfEndpoints = childPages(approvals, 'endpoint_id')
export const approvalsOfDevices = childPages(approvals, 'device_id')
