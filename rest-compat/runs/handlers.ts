/** The log of a run: streamed and downloaded (spec, "GET /v1/runs/{run_id}/logs" and "…/logs/download"). */
import { runLog } from '../../src/runs/log/run-log.ts'
import { jobLogHandlers } from '../work/job-log.ts'

export const handlers = jobLogHandlers({
  log: runLog,
  path: 'runs',
  noun: 'run',
  id: 'run_id',
  operations: { stream: 'streamRunLogs', download: 'downloadRunLog' },
})
