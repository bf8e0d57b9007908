/** Pushes a folder to a repo. */
import { setImmediate as turn } from 'node:timers/promises'
import pLimit from 'p-limit'
import { batchesOf } from './batches.ts'
import { type CompleteOutcome, completeBatch, completer, type SentFile } from './complete.ts'
import { everything, type PathFilter, pathTest } from './globs.ts'
import { BATCH, type HubClient, type RepoName } from './hub-client.ts'
import { failureLine, LocalError, ProblemError } from './problem.ts'
import { type Progress, silent } from './progress.ts'
import { type Outgoing, type PushPlan, planPush, readTree } from './push-plan.ts'
import { openState, type TransferState } from './state.ts'
import { presign, presignBatches, sendFile, type Upload } from './upload.ts'
import type { RepoKind, Visibility } from './v1.ts'
import { walkFolder } from './walk.ts'

export interface PushOptions {
  /** Folder of the transfer cache; never inside the pushed folder. */
  readonly cacheDir: string
  readonly filter?: PathFilter
  /** If set, a missing repo is created with this kind. */
  readonly kind?: RepoKind | null
  /** For a created repo; an existing one keeps its visibility. */
  readonly visibility?: Visibility
  /** Deletes repo files that the folder lacks, if the filter matches them. */
  readonly deleteExtra?: boolean
  readonly dryRun?: boolean
  /** Maximum concurrent parts (and hashes). */
  readonly jobs?: number
  readonly progress?: Progress
}

export interface FailedFile {
  readonly path: string
  readonly why: string
}

export interface PushReport {
  readonly repo: string
  readonly created: boolean
  readonly dryRun: boolean
  readonly sent: string[]
  readonly sentBytes: number
  readonly skipped: number
  readonly skippedBytes: number
  readonly deleted: string[]
  readonly failed: FailedFile[]
  /** The first error behind `failed`, for the exit code. */
  readonly cause: unknown
}

export const DEFAULT_JOBS = 4

/** Presigned batches in flight: enough to keep the slots busy across batch boundaries. */
const BATCHES_AHEAD = 2

/**
 * Uploads the folder's files to the repo (spec, "Upload flow"). Skips files the repo already has and parts sent by an interrupted push.
 * Rejects with `LocalError` before anything is sent, `ProblemError`, `TransferError`, or the client's abort reason; failures of single files are in
 * the report instead.
 */
export async function pushFolder(
  client: HubClient,
  repo: RepoName,
  dir: string,
  options: PushOptions,
): Promise<PushReport> {
  const progress = options.progress ?? silent
  const jobs = options.jobs ?? DEFAULT_JOBS
  const filter = options.filter ?? everything
  const local = await walkFolder(dir, filter)
  const missing = await missingKind(client, repo, options)
  const exists = missing === null
  const state = openState(options.cacheDir, client.url, repo)
  try {
    const remote = exists ? await readTree(client, repo) : new Map()
    const plan = await planPush(local, remote, state, { jobs, progress, signal: client.signal })
    const matches = pathTest(filter)
    const extra = options.deleteExtra ? plan.onlyRemote.filter(matches) : []
    const sending = { client, repo, state, progress, jobs }
    const created = !exists && !options.dryRun
    if (missing !== null && created) await createRepo(client, repo, missing, options)
    const outcome = options.dryRun ? dryRunOutcome(plan) : await sendAll(sending, plan)
    const deleted = options.dryRun ? extra : outcome.failed.length === 0 ? await deleteAll(client, repo, extra) : []
    return {
      repo: `${repo.owner}/${repo.slug}`,
      created: options.dryRun ? !exists : created,
      dryRun: options.dryRun ?? false,
      skipped: plan.same.length,
      skippedBytes: plan.same.reduce((sum, file) => sum + file.size, 0),
      deleted,
      ...outcome,
    }
  } finally {
    progress.end()
    state.close()
  }
}

/** The kind to create the repo with; null if it exists. */
async function missingKind(client: HubClient, repo: RepoName, options: PushOptions): Promise<RepoKind | null> {
  try {
    const found = await client.getRepo(repo)
    if (options.kind && found.kind !== options.kind) {
      throw new LocalError(`${found.full_name} is a ${found.kind} repo, not a ${options.kind} repo.`)
    }
    return null
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error
    if (options.kind) return options.kind
    error.message = `${repo.owner}/${repo.slug} does not exist or is not visible to you. To create it, add --kind dataset, model or robot.`
    throw error
  }
}

async function createRepo(client: HubClient, repo: RepoName, kind: RepoKind, options: PushOptions): Promise<void> {
  try {
    await client.createRepo(repo, kind, options.visibility ?? 'private')
  } catch (error) {
    // A concurrent request may have created it.
    if (error instanceof ProblemError && error.status === 409) await client.getRepo(repo)
    else throw error
  }
}

interface Sending {
  readonly client: HubClient
  readonly repo: RepoName
  readonly state: TransferState
  readonly progress: Progress
  readonly jobs: number
}

type Outcome = Pick<PushReport, 'sent' | 'sentBytes' | 'failed' | 'cause'>

function dryRunOutcome(plan: PushPlan): Outcome {
  const sentBytes = plan.send.reduce((sum, file) => sum + file.size, 0)
  return { sent: plan.send.map((file) => file.path), sentBytes, failed: [], cause: null }
}

async function sendAll(sending: Sending, plan: PushPlan): Promise<Outcome> {
  const { client, repo, state, progress } = sending
  const sent: string[] = []
  const failed: FailedFile[] = []
  let sentBytes = 0
  let cause: unknown = null
  const fail = (local: Outgoing, why: string, error: unknown) => {
    failed.push({ path: local.path, why })
    cause ??= error
  }
  const outcome: CompleteOutcome = {
    stored({ local }, entry) {
      state.rememberStored(entry, local.sha256)
      sent.push(local.path)
      sentBytes += local.size
      progress.file(local.path)
    },
    failed: ({ local }, error, why) => fail(local, why, error),
  }
  progress.begin(
    'send',
    plan.send.length,
    plan.send.reduce((sum, file) => sum + file.size, 0),
  )
  const left = await replayUnanswered(sending, plan.send, outcome)
  const done = completer(client, repo, state, outcome)
  const upload: Upload = { client, repo, state, progress, slot: pLimit(sending.jobs), failed: fail }
  const ahead = pLimit(BATCHES_AHEAD)
  const batches = [...presignBatches(left)].map((batch) =>
    ahead(async () => {
      client.signal.throwIfAborted()
      const targets = await presign(upload, batch)
      await Promise.all(
        targets.map(async ([local, live]) => {
          try {
            done.add({ local, upload: await sendFile(upload, local, live) })
          } catch (error) {
            if (client.signal.aborted) throw client.signal.reason
            fail(local, failureLine(error), error)
          }
        }),
      )
    }),
  )
  const results = await Promise.allSettled(batches)
  await turn()
  await done.settled()
  for (const result of results) if (result.status === 'rejected') throw result.reason
  progress.end()
  return { sent, sentBytes, failed, cause }
}

/**
 * Replays completions whose response an earlier push never received, under their original key, if all their files are still to be sent unchanged.
 * Files that are not stored after that are sent normally.
 */
async function replayUnanswered(
  sending: Sending,
  files: readonly Outgoing[],
  outcome: CompleteOutcome,
): Promise<Outgoing[]> {
  const left = new Map(files.map((file) => [file.path, file]))
  for (const open of sending.state.openCompletions()) {
    const batch: SentFile[] = []
    for (const [index, upload] of open.uploads.entries()) {
      const local = left.get(upload.path)
      if (local !== undefined && local.sha256 === open.digests[index]) batch.push({ local, upload })
    }
    if (batch.length !== open.uploads.length) continue
    await completeBatch(
      sending.client,
      sending.repo,
      sending.state,
      batch,
      {
        stored(sent, entry) {
          left.delete(sent.local.path)
          sending.progress.bytes(sent.local.size)
          outcome.stored(sent, entry)
        },
        failed() {},
      },
      open.key,
    )
  }
  return [...left.values()]
}

async function deleteAll(client: HubClient, repo: RepoName, paths: readonly string[]): Promise<string[]> {
  const deleted: string[] = []
  for (const batch of batchesOf(paths, BATCH)) deleted.push(...(await client.deleteFiles(repo, batch)).deleted)
  return deleted
}
