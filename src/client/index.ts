/** The client library: `/v1` and the two transfers built on it. It reads no environment and writes to no terminal. */

export type { HubClientOptions } from './call.ts'
export { isJsonObject, readJson, writeJson } from './exact-json.ts'
export type { PathFilter } from './globs.ts'
export { createHubClient, type HubClient, type RepoName } from './hub-client.ts'
export { failureLine, LocalError, ProblemError, TransferError } from './problem.ts'
export { type Progress, silent } from './progress.ts'
export { type PullOptions, type PullReport, pullRepo } from './pull.ts'
export { DEFAULT_JOBS, type FailedFile, type PushOptions, type PushReport, pushFolder } from './push.ts'
export type { NewRun, RemoteRun, RunEvent } from './run-shapes.ts'
export type { RunOutcome } from './runner/execute-run.ts'
export { work } from './runner/work.ts'
export type { RemoteFile, RemoteRepo } from './shapes.ts'
