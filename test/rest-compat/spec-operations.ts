/**
 * The operations of the spec and of its first additions by name, with method, path and the statuses of each: every route table has them. An operation that came later stands in
 * docs/contract.md alone.
 */
import type { Method } from '../../rest-compat/engine/route.ts'

interface SpecOperation {
  readonly method: Method
  /** With `{name}` segments, as the spec writes it. */
  readonly path: string
  /** In addition to those of every operation and of its method. */
  readonly statuses: readonly number[]
}

const operation = (method: Method, path: string, ...statuses: number[]): SpecOperation => ({
  method,
  path: `/v1${path}`,
  statuses,
})

export const specOperations: Readonly<Record<string, SpecOperation>> = {
  me: operation('GET', '/me', 200),
  startDeviceLogin: operation('POST', '/auth/device', 200),
  redeemDeviceLogin: operation('POST', '/auth/device/token', 200),
  listRepos: operation('GET', '/repos', 200),
  createRepo: operation('POST', '/repos', 201, 403, 404, 409),
  getRepo: operation('GET', '/repos/{owner}/{repo}', 200, 404),
  updateRepo: operation('PATCH', '/repos/{owner}/{repo}', 200, 403, 404),
  deleteRepo: operation('DELETE', '/repos/{owner}/{repo}', 204, 403, 404, 409),
  getRepoTree: operation('GET', '/repos/{owner}/{repo}/tree', 200, 403, 404),
  listRepoHistory: operation('GET', '/repos/{owner}/{repo}/history', 200, 403, 404),
  diffRepo: operation('GET', '/repos/{owner}/{repo}/diff', 200, 403, 404),
  listSnapshots: operation('GET', '/repos/{owner}/{repo}/snapshots', 200, 404),
  createSnapshot: operation('POST', '/repos/{owner}/{repo}/snapshots', 201, 403, 404, 413),
  getSnapshot: operation('GET', '/repos/{owner}/{repo}/snapshots/{name}', 200, 404),
  deleteSnapshot: operation('DELETE', '/repos/{owner}/{repo}/snapshots/{name}', 204, 403, 404),
  restoreState: operation('POST', '/repos/{owner}/{repo}/restore', 200, 403, 404, 412, 413, 502),
  purgeFiles: operation('POST', '/repos/{owner}/{repo}/files/purge', 200, 403, 404),
  presignUpload: operation('POST', '/repos/{owner}/{repo}/files/presign-upload', 200, 403, 404, 413),
  linkFiles: operation('POST', '/repos/{owner}/{repo}/files/link', 200, 403, 404, 409, 412, 413, 502),
  completeUpload: operation('POST', '/repos/{owner}/{repo}/files/complete', 200, 403, 404, 409, 412),
  presignDownload: operation('POST', '/repos/{owner}/{repo}/files/presign-download', 200, 403, 404),
  deleteFiles: operation('POST', '/repos/{owner}/{repo}/files/delete', 200, 403, 404),
  abortUpload: operation('DELETE', '/repos/{owner}/{repo}/files/uploads/{upload_id}', 204, 403, 404, 409),
  putModelMeta: operation('PUT', '/models/{owner}/{repo}/meta', 200, 403, 404, 409),
  putDatasetMeta: operation('PUT', '/datasets/{owner}/{repo}/meta', 200, 403, 404, 409),
  getRobotCard: operation('GET', '/robots/{owner}/{repo}/card', 200, 404, 409),
  putRobotCard: operation('PUT', '/robots/{owner}/{repo}/card', 200, 403, 404, 409, 502),
  validateRobotCard: operation('POST', '/robots/{owner}/{repo}/validate', 200, 403, 404, 409, 502),
  listRobotChecks: operation('GET', '/robot-checks', 200, 403),
  createRobotCheck: operation('POST', '/robot-checks', 201, 202, 403, 404),
  getRobotCheck: operation('GET', '/robot-checks/{check_id}', 200, 403, 404),
  streamRobotCheckLogs: operation('GET', '/robot-checks/{check_id}/logs', 200, 403, 404),
  downloadRobotCheckLog: operation('GET', '/robot-checks/{check_id}/logs/download', 200, 403, 404, 502),
  claimRobotCheck: operation('POST', '/robot-checks/{check_id}/claim', 200, 403, 404, 409),
  claimNextRobotCheck: operation('POST', '/robot-checks/claim-next', 200, 204, 403, 404),
  presignRobotCheckArtifacts: operation('POST', '/robot-checks/{check_id}/artifacts', 200, 403, 404, 409, 413),
  reportRobotCheck: operation('POST', '/robot-checks/{check_id}/report', 200, 403, 404, 409, 502),
  publishRobotCheck: operation('POST', '/robot-checks/{check_id}/publish', 200, 403, 404, 409, 413, 502),
  cancelRobotCheck: operation('POST', '/robot-checks/{check_id}/cancel', 202, 403, 404, 409, 502),
  listRuns: operation('GET', '/runs', 200, 403),
  createRun: operation('POST', '/runs', 200, 201, 202, 403, 404),
  startRun: operation('POST', '/runs/start', 200, 201, 403, 404),
  importRun: operation('POST', '/runs/import', 201, 403, 404),
  estimateRun: operation('POST', '/runs/estimate', 200, 403),
  recommendRun: operation('POST', '/runs/recommend', 200, 403),
  getRun: operation('GET', '/runs/{run_id}', 200, 403, 404),
  streamRunLogs: operation('GET', '/runs/{run_id}/logs', 200, 403, 404),
  downloadRunLog: operation('GET', '/runs/{run_id}/logs/download', 200, 403, 404, 502),
  getRunMetrics: operation('GET', '/runs/{run_id}/metrics', 200, 403, 404),
  cancelRun: operation('POST', '/runs/{run_id}/cancel', 202, 403, 404, 409, 501),
  deleteRun: operation('DELETE', '/runs/{run_id}', 204, 403, 404, 409),
  getRunConfig: operation('GET', '/runs/{run_id}/config', 200, 403, 404, 502),
  listRunCheckpoints: operation('GET', '/runs/{run_id}/checkpoints', 200, 403, 404, 413),
  claimRun: operation('POST', '/runs/{run_id}/claim', 200, 403, 404, 409),
  claimNextRun: operation('POST', '/runs/claim-next', 200, 204, 403, 404),
  reportRun: operation('POST', '/runs/{run_id}/report', 200, 403, 404, 409),
  recordGateResults: operation('POST', '/runs/{run_id}/gate-results', 200, 403, 404, 409),
  listHardwareTiers: operation('GET', '/hardware_tiers', 200),
  listEndpoints: operation('GET', '/endpoints', 200, 403),
  createEndpoint: operation('POST', '/endpoints', 201, 202, 403, 404, 409, 502),
  estimateEndpoint: operation('POST', '/endpoints/estimate', 200, 403, 404, 409, 502),
  getEndpoint: operation('GET', '/endpoints/{endpoint_id}', 200, 403, 404),
  stopEndpoint: operation('DELETE', '/endpoints/{endpoint_id}', 202, 403, 404, 409),
  claimEndpoint: operation('POST', '/endpoints/{endpoint_id}/claim', 200, 403, 404, 409),
  reportEndpoint: operation('POST', '/endpoints/{endpoint_id}/report', 200, 403, 404, 409),
  getSpendSummary: operation('GET', '/spend', 200, 403, 404),
  setSpendCap: operation('PUT', '/spend/cap', 200, 403, 404),
  listSpendHolds: operation('GET', '/spend/holds', 200, 403),
  getSpendHold: operation('GET', '/spend/holds/{hold_id}', 200, 403, 404),
  approveSpendHold: operation('POST', '/spend/holds/{hold_id}/approve', 200, 403, 404, 502),
  denySpendHold: operation('POST', '/spend/holds/{hold_id}/deny', 200, 403, 404),
  cancelSpendHold: operation('POST', '/spend/holds/{hold_id}/cancel', 200, 403, 404),
  listEndpointSessions: operation('GET', '/endpoints/{endpoint_id}/sessions', 200, 403, 404),
  openEndpointSession: operation('POST', '/endpoints/{endpoint_id}/sessions', 201, 403, 404, 409),
  reportEndpointSession: operation('POST', '/endpoints/{endpoint_id}/sessions/{session_id}/report', 200, 403, 404, 409),
}
