/** `/v1` routes of training runs. */
import { heldAsHold } from '../billing/held.ts'
import { body, fields, path, query } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

const yesNo = { '1': true, true: true, '0': false, false: false } as const
const missing = 'The run :run_id'

const runLocation = ({ id }: { readonly id: string }) => ({ Location: `/v1/runs/${id}` })

/** Three artifacts of the default size, plus JSON escaping. */
const IMPORT_BODY_BYTES = 16 * 1024 * 1024

/** Contract, "Writing". */
const REPORT_BODY_BYTES = 8 * 1024 * 1024

export const runRoutes: readonly TypedRoute[] = [
  {
    operation: 'createRun',
    method: 'POST',
    path: '/v1/runs',
    document: 'create-run',
    params: { input: body() },
    status: 201,
    replayStatus: 200,
    result: 'object',
    unwrap: 'result',
    held: heldAsHold,
    headers: runLocation,
    quotas: ['quota.gpu_hours'],
  },
  {
    operation: 'startRun',
    method: 'POST',
    path: '/v1/runs/start',
    document: 'start-run',
    params: { input: body() },
    status: 201,
    replayStatus: 200,
    result: 'object',
    unwrap: 'run',
    headers: runLocation,
  },
  {
    operation: 'importRun',
    method: 'POST',
    path: '/v1/runs/import',
    document: 'import-run',
    params: { input: body() },
    status: 201,
    result: 'object',
    unwrap: 'run',
    bodyLimitBytes: IMPORT_BODY_BYTES,
    headers: runLocation,
  },
  {
    operation: 'listRuns',
    method: 'GET',
    path: '/v1/runs',
    document: 'list-runs',
    params: {
      status: query('status'),
      executor: query('executor'),
      owner: query('owner'),
      kind: query('kind'),
      robot: query('robot'),
      gated: query('gated', yesNo),
      parentRunId: query('parent_run_id'),
      facets: query('facets', { ...yesNo, '': false }),
      limit: query('limit'),
      cursor: query('cursor'),
    },
    status: 200,
    result: 'page',
  },
  {
    operation: 'getRun',
    method: 'GET',
    path: '/v1/runs/:run_id',
    document: 'get-run',
    params: { run: path('run_id') },
    status: 200,
    result: 'object',
    missing,
  },
  {
    operation: 'claimNextRun',
    method: 'POST',
    path: '/v1/runs/claim-next',
    document: 'claim-next-run',
    params: { input: body() },
    status: 200,
    result: 'object',
    unwrap: 'run',
    emptyWhenNull: true,
  },
  {
    operation: 'claimRun',
    method: 'POST',
    path: '/v1/runs/:run_id/claim',
    document: 'claim-run',
    params: { input: body({ runId: path('run_id') }) },
    status: 200,
    result: 'object',
    unwrap: 'run',
  },
  {
    operation: 'reportRun',
    method: 'POST',
    path: '/v1/runs/:run_id/report',
    document: 'report-run',
    params: { input: body({ runId: path('run_id') }) },
    status: 200,
    result: 'object',
    unwrap: 'run',
    bodyLimitBytes: REPORT_BODY_BYTES,
  },
  {
    operation: 'recordGateResults',
    method: 'POST',
    path: '/v1/runs/:run_id/gate-results',
    document: 'record-gate-results',
    params: { input: body({ runId: path('run_id') }) },
    status: 200,
    result: 'object',
    unwrap: 'run',
    bodyLimitBytes: REPORT_BODY_BYTES,
  },
  {
    operation: 'cancelRun',
    method: 'POST',
    path: '/v1/runs/:run_id/cancel',
    document: 'cancel-run',
    params: { input: fields({ runId: path('run_id') }) },
    status: 202,
    result: 'object',
    unwrap: 'run',
  },
  {
    operation: 'deleteRun',
    method: 'DELETE',
    path: '/v1/runs/:run_id',
    document: 'delete-run',
    params: { input: fields({ runId: path('run_id') }) },
    status: 204,
    result: 'empty',
  },
]
