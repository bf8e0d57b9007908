/** Pushes a folder to a repo. */
import { realpath } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import pLimit from 'p-limit'
import { batchesOf } from './batches.ts'
import { byteGate } from './byte-gate.ts'
import { completer } from './complete.ts'
import { everything, type PathFilter, pathTest } from './globs.ts'
import { BATCH, type HubClient } from './hub-client.ts'
import { Interrupted } from './interrupted.ts'
import { localPath } from './landing.ts'
import type { LeaveOutOptions, LeftOut } from './left-out.ts'
import { knownLinker } from './link-known.ts'
import { inTheWay } from './make-room.ts'
import type { MessageOption } from './message-option.ts'
import { failureLine } from './problem.ts'
import { type Progress, silent } from './progress.ts'
import { type Outgoing, type PushPlan, planPush, readTree } from './push-plan.ts'
import { createRepo, missingKind } from './push-repo.ts'
import { type FailedFile, type Outcome, pushTally, totalBytes } from './push-tally.ts'
import { replayUnanswered } from './replay-unanswered.ts'
import type { RepoName } from './repo-name.ts'
import { assertNoSecrets } from './secrets/look-for-secrets.ts'
import { openState, type TransferState } from './state.ts'
import { PART_BYTES, presign, presignBatches, sendFile, type Upload } from './upload.ts'
import type { RepoKind, Visibility } from './v1.ts'
import { type WalkedFolder, walkToPush } from './walk.ts'

export interface PushOptions {
  /** Folder of the transfer cache; never inside the pushed folder. */
  readonly cacheDir: string
  readonly filter?: PathFilter
  /**
   * What to leave out besides; by default what ignore files name, build and cache folders, and files that hold
   * credentials.
   */
  readonly leaveOut?: Omit<LeaveOutOptions, 'filter'>
  /**
   * Globs of files that are sent whatever secret is in their text. With `leaveOut.includeSecrets` no file is looked
   * into.
   */
  readonly allowSecrets?: readonly string[]
  /** What to say about each change that the push makes: at most 500 characters. */
  readonly message?: string
  /** If set, a missing repo is created with this kind. */
  readonly kind?: RepoKind | null
  /** For a created repo; an existing one keeps its visibility. */
  readonly visibility?: Visibility
  /**
   * Deletes repo files that the folder lacks, if the filter matches them and the folder's rules do not leave them out:
   * after all files are sent, but before if they are in the way of one (a path is a file or a folder).
   */
  readonly deleteExtra?: boolean
  /** Paths of the repo that `deleteExtra` leaves as they are, as if the folder had them. */
  readonly keep?: ReadonlySet<string>
  readonly dryRun?: boolean
  /**
   * Maximum concurrent parts (and hashes). By default 4, of which the bytes being sent are at most one part of a large
   * file: that is what a kill loses.
   */
  readonly jobs?: number
  readonly progress?: Progress
}

export interface PushReport {
  readonly repo: string
  readonly created: boolean
  readonly dryRun: boolean
  readonly sent: string[]
  readonly sentBytes: number
  /** Files that were not sent, because the hub has their bytes in another file. */
  readonly linked: string[]
  readonly linkedBytes: number
  readonly skipped: number
  readonly skippedBytes: number
  readonly deleted: string[]
  /** What of the folder was not pushed because of its rules. */
  readonly leftOut: LeftOut[]
  /** Repo files that the folder lacks and `deleteExtra` kept, because the folder's rules leave them out. */
  readonly kept: string[]
  readonly failed: FailedFile[]
  /** The first error behind `failed`, for the exit code. */
  readonly cause: unknown
}

export const DEFAULT_JOBS = 4

/** Presigned batches in flight: enough to keep the slots busy across batch boundaries. */
const BATCHES_AHEAD = 2

/**
 * Uploads the folder's files to the repo (spec, "Upload flow"). Skips files the repo already has and parts sent by an
 * interrupted push. Rejects with `LocalError` before anything is sent, also for a secret in a text (`SecretsFound`) and
 * for files of the repo in the way of what would be sent, with `ProblemError`, `TransferError`, or the client's abort
 * reason; failures of single files are in the report instead.
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
  const leaveOut = options.leaveOut ?? { ignore: true, includeSecrets: false }
  const walked = await walkToPush(dir, { filter, ...leaveOut })
  const missing = await missingKind(client, repo, options)
  const exists = missing === null
  const state = openState(options.cacheDir, client.url, repo)
  try {
    const remote = exists ? await readTree(client, repo) : new Map()
    const root = await realpath(dir)
    const plan = await planPush(walked.files, remote, state, { jobs, progress, signal: client.signal })
    const { extra, kept } = options.deleteExtra ? extraFiles(plan, walked, options) : { extra: [], kept: [] }
    const first = inTheWay(plan, extra)
    const sending = {
      client,
      repo,
      state,
      progress,
      jobs,
      root,
      said: { message: options.message },
      gateBytes: options.jobs ? jobs * PART_BYTES : PART_BYTES,
    }
    const isMeant = (path: string) => leaveOut.includeSecrets || walked.includedSecrets.has(path)
    await assertNoSecrets(plan.send, options.allowSecrets ?? [], { isMeant, progress, signal: client.signal })
    for (const file of plan.same) state.rememberSynced(localPath(root, file.path), file.path, file.sha256)
    progress.planned({
      send: plan.send.length,
      bytes: totalBytes(plan.send),
      skip: plan.same.length,
      skipBytes: totalBytes(plan.same),
    })
    const created = !exists && !options.dryRun
    if (missing !== null && created) await createRepo(client, repo, missing, options)
    const deleted = options.dryRun ? extra : await deleteAll(sending, first)
    const outcome = options.dryRun ? dryRunOutcome(plan) : await sendAll(sending, plan)
    if (!options.dryRun && outcome.failed.length === 0) {
      const gone = new Set(first)
      const rest = extra.filter((path) => !gone.has(path))
      deleted.push(...(await deleteAll(sending, rest)))
    }
    return {
      repo: `${repo.owner}/${repo.slug}`,
      created: options.dryRun ? !exists : created,
      dryRun: options.dryRun ?? false,
      skipped: plan.same.length,
      skippedBytes: totalBytes(plan.same),
      deleted,
      leftOut: walked.leftOut,
      kept,
      ...outcome,
    }
  } finally {
    progress.end()
    state.close()
  }
}

/**
 * What the folder lacks, and what of that stays because the folder's rules leave it out: it may be here, or never was
 * to be.
 */
function extraFiles(
  plan: PushPlan,
  walked: WalkedFolder,
  { filter = everything, keep }: Pick<PushOptions, 'filter' | 'keep'>,
): { extra: string[]; kept: string[] } {
  const here = new Set(walked.leftOut.map(({ path }) => path))
  const extra: string[] = []
  const kept: string[] = []
  const isMeant = pathTest(filter)
  for (const path of plan.onlyRemote.filter((one) => isMeant(one) && !keep?.has(one)))
    (here.has(path) || walked.leavesOut(path) ? kept : extra).push(path)
  return { extra, kept }
}

interface Sending {
  readonly client: HubClient
  readonly repo: RepoName
  readonly state: TransferState
  readonly progress: Progress
  readonly jobs: number
  /** The real path of the folder. */
  readonly root: string
  readonly said: MessageOption
  readonly gateBytes: number
}

function dryRunOutcome(plan: PushPlan): Outcome {
  return {
    sent: plan.send.map((file) => file.path),
    sentBytes: totalBytes(plan.send),
    linked: [],
    linkedBytes: 0,
    failed: [],
    cause: null,
  }
}

async function sendAll(sending: Sending, plan: PushPlan): Promise<Outcome> {
  const { client, repo, state, progress } = sending
  const tally = pushTally(sending)
  const { complete } = tally
  progress.begin('send', plan.send.length, totalBytes(plan.send))
  const left = await replayUnanswered(sending, plan.send, complete)
  const before = tally.sentBytes()
  let newBytes = 0
  const done = completer(sending, complete)
  const upload: Upload = {
    client,
    repo,
    state,
    progress,
    slot: pLimit(sending.jobs),
    gate: byteGate(sending.gateBytes),
    stored(bytes) {
      newBytes += bytes
    },
    failed: tally.fail,
  }
  const withoutKnown = knownLinker(sending, tally.linked)
  const ahead = pLimit(BATCHES_AHEAD)
  const batches = [...presignBatches(smallestFirst(left))].map((batch) =>
    ahead(async () => {
      client.signal.throwIfAborted()
      const targets = await presign(upload, await withoutKnown(batch))
      await Promise.all(
        targets.map(async ([local, live]) => {
          try {
            done.add({ local, upload: await sendFile(upload, local, live) })
          } catch (error) {
            if (client.signal.aborted) throw client.signal.reason
            tally.fail(local, failureLine(error), error)
          }
        }),
      )
    }),
  )
  const results = await Promise.allSettled(batches)
  await turn()
  await done.settled().catch((error: unknown) => results.push({ status: 'rejected', reason: error }))
  if (client.signal.aborted)
    throw new Interrupted(client.signal.reason, {
      ...tally.reached(plan),
      partialBytes: Math.max(0, before + newBytes - tally.sentBytes()),
    })
  for (const result of results) if (result.status === 'rejected') throw result.reason
  progress.end()
  return tally.outcome()
}

/**
 * A large file would hold all slots, and small ones would wait for its last part. Files of one size keep their order.
 */
const smallestFirst = (files: readonly Outgoing[]) => files.toSorted((a, b) => a.size - b.size)

async function deleteAll({ client, repo, said }: Sending, paths: readonly string[]): Promise<string[]> {
  const deleted: string[] = []
  for (const batch of batchesOf(paths, BATCH)) deleted.push(...(await client.deleteFiles(repo, batch, said)).deleted)
  return deleted
}
