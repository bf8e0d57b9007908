import { defineRows } from '../support/define-cases.ts'

export const rows = defineRows({
  refused: {
    robot_checks_limited: `insert into robot_checks (id, kind, status, executor, owner_id, filed_by, quota_account_id, robot_repo_id)
      values ('x', 'robot', 'queued', 'hosted', 'x', 'x', 'x', 'x')`,
  },
})
