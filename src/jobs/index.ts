/** Background jobs. Each is idempotent and may run on two hubs at once. */
import { z } from 'zod'
import { displaceEverywhere } from '../accounts/device-login/displace-logins.ts'
import { fileDatasetChecks } from '../checks/datasets/file-checks.ts'
import { giveIdleSparesBack } from '../files/storage-spares.ts'
import { dropKeptFilms } from '../films/drop-kept-films.ts'
import type { Deps } from '../operation/context.ts'
import type { JobDefinition } from '../store/queue.ts'
import { verifyBlob } from './blob-verify.ts'
import { compareNewBodies, dropLostBodies, readPendingBodies } from './bodies-read.ts'
import { collectAvatars, collectCheckObjects, collectFilms, collectRunObjects } from './collect-job-objects.ts'
import { abortAbandoned, abortStrays, deleteDoomed } from './collect-objects.ts'
import { pruneClosedRows, unpinFiles } from './collect-rows.ts'
import { define } from './define-job.ts'
import { dropEpisodes } from './drop-episodes.ts'
import { foldFacets } from './fold-facets.ts'
import { dispatchHosted, dispatchWaiting } from './hosted-kinds.ts'
import { archiveMetrics, dropArchivedRows } from './metric-archives.ts'
import { dropOldRows } from './old-rows.ts'
import { readPendingReadmes } from './readmes-read.ts'
import { purgeDeletedRepos, purgeRepo } from './repo-purge.ts'
import { retentionJobs } from './retention-jobs.ts'
import { measureRuns } from './run-measure.ts'
import { fileLeftMetrics, fileMetrics } from './run-metrics-file.ts'
import { purgeDeletedRuns, purgeRun } from './run-purge.ts'
import { summarizeRuns } from './run-summaries.ts'

const blobVerify = define({
  name: 'blob-verify',
  input: z.object({ blobId: z.string() }),
  // 50 GiB at 20 MiB/s.
  expireSeconds: 3600,
  retryLimit: 10,
  concurrency: 1,
  handler: ({ blobId }, { deps, signal }) => verifyBlob(deps, blobId, signal),
})

const repoPurge = define({
  name: 'repo-purge',
  input: z.object({ repoId: z.string() }),
  expireSeconds: 900,
  retryLimit: 5,
  concurrency: 1,
  handler: ({ repoId }, { deps, signal }) => purgeRepo(deps, repoId, signal),
})

const filesCollect = define({
  name: 'files-collect',
  input: z.object({}),
  cron: '* * * * *',
  expireSeconds: 900,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    await purgeDeletedRepos(deps, signal)
    await purgeDeletedRuns(deps, signal)
    await pruneClosedRows(deps, signal)
    await dropKeptFilms(deps, signal)
    await dropEpisodes(deps, signal)
    await dropOldRows(deps, signal)
    await displaceEverywhere(deps.db)
    // Without a store there is nothing to collect.
    if (!deps.objects) return
    await measureRuns(deps, deps.objects, signal)
    await abortAbandoned(deps, deps.objects, signal)
    await deleteDoomed(deps, deps.objects, signal)
  },
})

const storeUploadsCollect = define({
  name: 'store-uploads-collect',
  input: z.object({}),
  // Lists all uploads of the store, so it runs less often.
  cron: '17 * * * *',
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    if (deps.objects) await abortStrays(deps, deps.objects, signal)
  },
})

const runPurge = define({
  name: 'run-purge',
  input: z.object({ runId: z.string() }),
  expireSeconds: 900,
  retryLimit: 5,
  concurrency: 1,
  handler: ({ runId }, { deps, signal }) => purgeRun(deps, runId, signal),
})

const runObjectsCollect = define({
  name: 'run-objects-collect',
  input: z.object({}),
  // Lists all objects of runs, and all pictures of accounts, so it runs less often.
  cron: '41 3 * * *',
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    if (!deps.objects) return
    await collectRunObjects(deps, deps.objects, signal)
    await collectAvatars(deps, deps.objects, signal)
  },
})

const checkObjectsCollect = define({
  name: 'check-objects-collect',
  input: z.object({}),
  // Lists all objects of checks, and all films, so it runs less often.
  cron: '11 4 * * *',
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    if (!deps.objects) return
    await collectCheckObjects(deps, deps.objects, signal)
    await collectFilms(deps, deps.objects, signal)
  },
})

const hostedDispatch = define({
  name: 'hosted-dispatch',
  input: z.object({ jobId: z.string() }),
  expireSeconds: 300,
  retryLimit: 5,
  concurrency: 4,
  handler: ({ jobId }, { deps }) => dispatchHosted(deps, jobId),
})

const hostedSweep = define({
  name: 'hosted-sweep',
  input: z.object({}),
  cron: '* * * * *',
  expireSeconds: 300,
  retryLimit: 0,
  concurrency: 1,
  handler: (_input, { deps }) => dispatchWaiting(deps),
})

const filesUnpin = define({
  name: 'files-unpin',
  input: z.object({ repoIds: z.array(z.string()) }),
  expireSeconds: 900,
  retryLimit: 5,
  concurrency: 1,
  handler: ({ repoIds }, { deps, signal }) => unpinFiles(deps.db, repoIds, signal),
})

/** Deletes objects immediately after a purge, without waiting for the collection of the next minute. */
const objectsDelete = define({
  name: 'objects-delete',
  input: z.object({}),
  expireSeconds: 900,
  retryLimit: 5,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    if (deps.objects) await deleteDoomed(deps, deps.objects, signal)
  },
})

const readmesRead = define({
  name: 'readmes-read',
  input: z.object({}),
  cron: '* * * * *',
  // An older hub may have left a hundred thousand.
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    if (deps.objects) await readPendingReadmes(deps, deps.objects, signal)
  },
})

const bodiesRead = define({
  name: 'bodies-read',
  input: z.object({}),
  cron: '* * * * *',
  // An older hub may have left a hundred thousand.
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    await readPendingBodies(deps, signal)
    await compareNewBodies(deps, signal)
  },
})

const bodiesCollect = define({
  name: 'bodies-collect',
  input: z.object({}),
  // Looks at all bodies, so it runs less often.
  cron: '29 3 * * *',
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  handler: (_input, { deps, signal }) => dropLostBodies(deps, signal),
})

const runSummaries = define({
  name: 'run-summaries',
  input: z.object({}),
  cron: '* * * * *',
  // An older hub may have left a hundred million lines.
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    if (deps.objects) await fileLeftMetrics(deps, deps.objects, signal)
    await summarizeRuns(deps, signal)
  },
})

const runMetricsFile = define({
  name: 'run-metrics-file',
  input: z.object({ runId: z.string() }),
  expireSeconds: 900,
  retryLimit: 5,
  concurrency: 1,
  handler: ({ runId }, { deps, signal }) => fileMetrics(deps, deps.objects, runId, signal),
})

const metricsArchive = define({
  name: 'metrics-archive',
  input: z.object({}),
  // What is due has been still for days, so it runs less often.
  cron: '31 * * * *',
  // A hub from before archives may have left a hundred million lines: each pass goes on where the last one ended.
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    if (!deps.objects) return
    await dropArchivedRows(deps, signal)
    await archiveMetrics(deps, deps.objects, signal)
  },
})

const facetsFold = define({
  name: 'facets-fold',
  input: z.object({}),
  cron: '* * * * *',
  expireSeconds: 900,
  retryLimit: 0,
  concurrency: 1,
  handler: (_input, { deps, signal }) => foldFacets(deps, signal),
})

const storageSpares = define({
  name: 'storage-spares',
  input: z.object({}),
  cron: '* * * * *',
  expireSeconds: 300,
  retryLimit: 0,
  concurrency: 1,
  handler: (_input, { deps, signal }) => giveIdleSparesBack(deps.db, signal),
})

const datasetChecksFile = define({
  name: 'dataset-checks-file',
  input: z.object({}),
  cron: '* * * * *',
  expireSeconds: 300,
  retryLimit: 0,
  concurrency: 1,
  handler: (_input, { deps }) => fileDatasetChecks(deps),
})

export const jobs: readonly JobDefinition<Deps>[] = [
  blobVerify,
  repoPurge,
  runPurge,
  filesCollect,
  storeUploadsCollect,
  runObjectsCollect,
  checkObjectsCollect,
  hostedDispatch,
  hostedSweep,
  filesUnpin,
  objectsDelete,
  readmesRead,
  bodiesRead,
  bodiesCollect,
  runSummaries,
  runMetricsFile,
  metricsArchive,
  ...retentionJobs,
  facetsFold,
  storageSpares,
  datasetChecksFile,
]
