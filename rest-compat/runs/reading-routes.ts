/** `/v1` routes of the config, checkpoints and metrics of a run. */
import { path, query } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

const missing = 'The run :run_id'
const run = path('run_id')

export const routes: readonly TypedRoute[] = [
  {
    operation: 'getRunConfig',
    method: 'GET',
    path: '/v1/runs/:run_id/config',
    document: 'get-run-config',
    params: { run },
    status: 200,
    errors: [403, 404, 502],
    result: 'object',
    unwrap: 'config',
    missing,
    summary: 'The resolved config of a run as leaf values, and the diff against the parent.',
  },
  {
    operation: 'listRunCheckpoints',
    method: 'GET',
    path: '/v1/runs/:run_id/checkpoints',
    document: 'list-run-checkpoints',
    params: { run },
    status: 200,
    errors: [403, 404, 413],
    result: 'object',
    unwrap: 'checkpoints',
    missing,
    summary: 'The checkpoints of a run, oldest step first.',
  },
  {
    operation: 'getRunMetrics',
    method: 'GET',
    path: '/v1/runs/:run_id/metrics',
    document: 'get-run-metrics',
    params: { run, keys: query('keys'), max_points: query('max_points') },
    status: 200,
    errors: [403, 404],
    result: 'object',
    unwrap: 'metrics',
    missing,
    summary: 'The metrics of a run as one downsampled series per key.',
  },
  {
    operation: 'getRunSummary',
    method: 'GET',
    path: '/v1/runs/:run_id/summary',
    document: 'get-run-summary',
    params: { run, keys: query('keys') },
    status: 200,
    errors: [403, 404],
    result: 'object',
    missing,
    summary: 'What each metric of a run comes to: its last, least, greatest, best and mean value.',
  },
  {
    operation: 'getRunEnvironment',
    method: 'GET',
    path: '/v1/runs/:run_id/environment',
    document: 'get-run-environment',
    params: { run },
    status: 200,
    errors: [403, 404],
    result: 'object',
    missing,
    summary: 'What a run was made with: its command, code, packages and machine.',
  },
]
