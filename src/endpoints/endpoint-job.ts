/**
 * Endpoints as the kernel sees them. Without a lease: the claim of a server lasts until the endpoint ends. Spec,
 * "Endpoint".
 */
import { runListedSql } from '../auth/policy.ts'
import type { JobKind } from '../work/job-kind.ts'

export const endpointJob: JobKind = {
  name: 'endpoint',
  noun: 'endpoint',
  idPrefix: 'ep',
  table: 'endpoints',
  statusType: 'EndpointStatus',
  listedSql: runListedSql,
  lease: null,
}
