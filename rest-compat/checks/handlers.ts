/** The log of a robot check: streamed and downloaded, as that of a run. */
import { checkLog } from '../../src/checks/log/check-log.ts'
import { jobLogHandlers } from '../work/job-log.ts'

export const handlers = jobLogHandlers({
  log: checkLog,
  path: 'robot-checks',
  noun: 'check',
  id: 'check_id',
  operations: { stream: 'streamRobotCheckLogs', download: 'downloadRobotCheckLog' },
})
