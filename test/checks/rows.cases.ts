import { defineRows } from '../support/define-cases.ts'

/** A queued check of a robot, but for these columns. */
function aCheck(changes: Readonly<Record<string, string>>): string {
  const x = `'x'`
  const named = { id: x, owner_id: x, filed_by: x, quota_account_id: x, robot_repo_id: x }
  const row = { ...named, kind: `'robot'`, status: `'queued'`, executor: `'worker'`, ...changes }
  return `insert into robot_checks (${Object.keys(row).join(', ')}) values (${Object.values(row).join(', ')})`
}

export const rows = defineRows({
  refused: {
    robot_checks_limited: aCheck({ executor: `'hosted'` }),
    robot_checks_about: aCheck({ robot_repo_id: 'null' }),
    robot_checks_ended: aCheck({ status: `'failed'` }),
    robot_checks_held: aCheck({ status: `'running'` }),
    robot_checks_log_open: aCheck({ log_open_from: '1' }),
    robot_checks_published: aCheck({ published_at: 'now()' }),
    robot_checks_tail: aCheck({ log_tail: `repeat('a', 65537)` }),
  },
})
