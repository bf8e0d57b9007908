/** Hosted endpoints: the deployed endpoint function serves them. */
import type { HostedKind } from '../../hosting/hosted-kind.ts'
import { settleEndpoint } from '../end/settle-endpoint.ts'
import { endpointJob } from '../endpoint-job.ts'
import { lockEndpoint } from '../endpoint-row.ts'

export const hostedEndpoint: HostedKind = {
  job: endpointJob,
  functionSql: "'endpoint'",
  tierSql: 'u.tier',
  maxHoursSql: 'u.max_hours::float8',
  maxSeconds: (_hosted, maxHours) => (maxHours === null ? null : Math.ceil(maxHours * 3600)),
  keyScope: 'train',
  // It reads its model, and writes to no repo.
  repoIdsSql: `'[]'::json`,
  // Only a report is a heartbeat and an end at once.
  endReportedSql: 'u.heartbeat_at = u.finished_at',
  settle: async (_deps, tx, endpointId) => settleEndpoint(tx, await lockEndpoint(tx, endpointId), 'endpoint_failed'),
}
