import { defineRows } from '../support/define-cases.ts'

const aHold = (status: string, decidedAt: string, reserveUsd: string) =>
  `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at, decided_at)
   values ('x', ${status}, 'run', 'x', 'x', 'x', '{}', 'x', 1, ${reserveUsd}, 0, now(), ${decidedAt})`

export const rows = defineRows({
  refused: {
    spend_reservations_counted: `insert into spend_reservations (job_id, job_kind, account_id, amount_usd, allowance) values ('x', 'run', 'x', -1, false)`,
    accounts_spend_cap_whole: `insert into accounts (id, kind, handle, spend_cap_usd) values ('x', 'user', 'x', 1)`,
    spend_holds_decided_dated: aHold(`'denied'`, 'null', '1'),
    spend_holds_result_of_approval: aHold(`'approved'`, 'now()', '1'),
    spend_holds_amounts: aHold(`'pending'`, 'null', '-1'),
  },
})
