import { defineRows } from '../support/define-cases.ts'

/** A queued check of a robot, but for these columns. */
function aCheck(changes: Readonly<Record<string, string>>): string {
  const x = `'x'`
  const named = { id: x, owner_id: x, filed_by: x, quota_account_id: x, robot_repo_id: x }
  const row = { ...named, kind: `'robot'`, status: `'queued'`, executor: `'worker'`, ...changes }
  return `insert into robot_checks (${Object.keys(row).join(', ')}) values (${Object.values(row).join(', ')})`
}

const aDatasetCheck = (columns: string, values: string, status = 'queued') =>
  `insert into dataset_checks (repo_id, owner_id, status, cause, seq${columns && `, ${columns}`})
   values ('x', 'x', '${status}', 'commit', 1${values && `, ${values}`})`

export const rows = defineRows({
  kept: ({ dataset, ada }) => ({
    dataset_checks: `insert into dataset_checks (repo_id, owner_id, status, cause, seq, requested_by, attempt, finished_at, report, report_seq, report_at)
      values ('${dataset}', (select owner_id from repos where id = '${dataset}'), 'succeeded', 'person', 1, '${ada}', 1, now(), '{"layout":null,"findings":[]}', 1, now())`,
  }),
  refused: {
    dataset_checks_counted: aDatasetCheck('attempt', '-1'),
    dataset_checks_claimed_whole: aDatasetCheck('', '', 'running'),
    dataset_checks_ended: aDatasetCheck('', '', 'failed'),
    dataset_checks_reported_whole: aDatasetCheck('report', `'{}'`),
    dataset_checks_report_size: aDatasetCheck(
      'report, report_seq, report_at',
      `to_json(repeat('a', 1048576)), 1, now()`,
    ),
    robot_checks_limited: aCheck({ executor: `'hosted'` }),
    robot_checks_about: aCheck({ robot_repo_id: 'null' }),
    robot_checks_ended: aCheck({ status: `'failed'` }),
    robot_checks_held: aCheck({ status: `'running'` }),
    robot_checks_log_open: aCheck({ log_open_from: '1' }),
    robot_checks_published: aCheck({ published_at: 'now()' }),
    robot_checks_tail: aCheck({ log_tail: `repeat('a', 65537)` }),
  },
})
