/** Pushes a folder to a repo. */
import { realpath } from 'node:fs/promises'
import { batchesOf } from './batches.ts'
import { byteGate } from './byte-gate.ts'
import { commitPush, replayCommits } from './commit-push.ts'
import { type Content, contentsOf, inRepo } from './contents.ts'
import { everything, type PathFilter, pathTest } from './globs.ts'
import type { HubClient } from './hub-client.ts'
import { Interrupted } from './interrupted.ts'
import type { LeaveOutOptions, LeftOut } from './left-out.ts'
import { inTheWay } from './make-room.ts'
import { ProblemError } from './problem.ts'
import { type Progress, silent } from './progress.ts'
import { type Outgoing, type PushPlan, planPush, readTree } from './push-plan.ts'
import { createRepo, missingKind } from './push-repo.ts'
import { type FailedFile, type FileAhead, type Outcome, type PushTally, pushTally, totalBytes } from './push-tally.ts'
import type { RepoName } from './repo-name.ts'
import { assertNoSecrets } from './secrets/look-for-secrets.ts'
import { sendAhead } from './send-ahead.ts'
import type { Sending } from './sending.ts'
import type { RemoteFile } from './shapes.ts'
import { smallFiles } from './small-files.ts'
import { openState } from './state.ts'
import { PART_BYTES } from './upload-parts.ts'
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
  /** What to say about the change that the push makes: at most 500 characters. */
  readonly message?: string
  /** The run that made these files, of a model repo: the version names it. */
  readonly runId?: string
  /**
   * Called once if the hub does not take `runId`, with why; the push then goes on without it. Absent: the files fail.
   */
  readonly onRunRefused?: (why: string) => void
  /** If set, a missing repo is created with this kind. */
  readonly kind?: RepoKind | null
  /** For a created repo; an existing one keeps its visibility. */
  readonly visibility?: Visibility
  /**
   * Deletes repo files that the folder lacks, if the filter matches them and the folder's rules do not leave them out:
   * in the change that adds the files. If a file cannot be pushed, only those that are in the way of another one are
   * deleted (a path is a file or a folder).
   */
  readonly deleteExtra?: boolean
  /** Paths of the repo that `deleteExtra` leaves as they are, as if the folder had them. */
  readonly keep?: ReadonlySet<string>
  /** None of the paths is in the repo, whose files are not listed then. Not for `deleteExtra`. */
  readonly areNew?: boolean
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
  /** Files that were not sent, because the hub has their bytes: in another file, or sent ahead by an earlier push. */
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
  /** Of the version that the last change of this push made; null if it made none. */
  readonly commitId: string | null
}

export const DEFAULT_JOBS = 4

/**
 * Contents of one change: what is sent ahead of a change is pending, and an owner has at most 10,000 pending uploads. A
 * push of more makes several changes.
 */
const CONTENTS_PER_CHANGE = 8000

/** Files of one change, and the bytes of its request: more of them, with few contents, make several changes too. */
const FILES_PER_CHANGE = 50_000
const CHANGE_BYTES = 24 * 1_048_576
/** Digest, size and punctuation of a file in the request. */
const BYTES_BESIDE_PATH = 120

/** Of one change, besides its files: few enough with paths of the longest kind. */
const DELETIONS_PER_CHANGE = 5000

/**
 * Pushes the folder's files to the repo, as one change up to `CONTENTS_PER_CHANGE` contents. Files that the repo has are
 * skipped, and what an interrupted push sent is not sent again. Rejects with `LocalError` before anything is
 * sent, also for a secret in a text (`SecretsFound`) and for files of the repo in the way of what would be sent, with
 * `ProblemError`, `TransferError`, or the client's abort reason; failures of single files are in the report instead, and
 * do not keep the others from the repo.
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
    const root = await realpath(dir)
    const said = { message: options.message, runId: options.runId, onRunRefused: options.onRunRefused }
    const gate = byteGate(options.jobs ? jobs * PART_BYTES : PART_BYTES)
    const hub = { takesArchives: true, takesRun: true }
    const small = smallFiles()
    const sending: Sending = { client, repo, state, small, progress, jobs, root, said, hub, gate }
    const read = async () => {
      const remote = exists && !options.areNew ? await readTree(client, repo) : new Map<string, RemoteFile>()
      const plan = await planPush(walked.files, remote, { state, small, jobs, progress, signal: client.signal })
      const { extra, kept } = options.deleteExtra ? extraFiles(plan, walked, options) : { extra: [], kept: [] }
      return { remote, plan, extra, kept }
    }
    let found = await read()
    if (!options.dryRun && (await replayCommits(sending, found.plan, found.extra))) found = await read()
    const { remote, plan, extra, kept } = found
    const first = inTheWay(plan, extra)
    const isMeant = (path: string) => leaveOut.includeSecrets || walked.includedSecrets.has(path)
    const isBinary = (path: string) => plan.binary.has(path)
    const held = ({ sha256 }: Outgoing) => small.kept(sha256)
    const looking = { isMeant, isBinary, held, progress, signal: client.signal }
    await assertNoSecrets(plan.send, options.allowSecrets ?? [], looking)
    state.rememberAllSynced(root, plan.same)
    progress.planned({
      send: plan.send.length,
      bytes: totalBytes(plan.send),
      skip: plan.same.length,
      skipBytes: totalBytes(plan.same),
    })
    const created = !exists && !options.dryRun
    if (missing !== null && created) await createRepo(client, repo, missing, options)
    const isThere = inRepo(remote.values())
    const { deleted, ...outcome } = options.dryRun
      ? { ...dryRunOutcome(plan), deleted: extra }
      : await sendAll(sending, plan, { isThere, extra, first: new Set(first) })
    return {
      repo: `${repo.owner}/${repo.slug}`,
      created: options.dryRun ? !exists : created,
      dryRun: options.dryRun ?? false,
      skipped: plan.same.length,
      skippedBytes: totalBytes(plan.same),
      deleted: [...deleted],
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

function dryRunOutcome(plan: PushPlan): Outcome {
  return {
    sent: plan.send.map((file) => file.path),
    sentBytes: totalBytes(plan.send),
    linked: [],
    linkedBytes: 0,
    failed: [],
    cause: null,
    commitId: null,
  }
}

/** What is sent before each change. */
export const roundsOf = <T>(contents: readonly T[]): T[][] => [...batchesOf(contents, CONTENTS_PER_CHANGE)]

interface Rest {
  readonly isThere: (content: Content) => boolean
  /** Files to delete. */
  readonly extra: readonly string[]
  /** Of these, the ones that are in the way of a file that is sent. */
  readonly first: ReadonlySet<string>
}

async function sendAll(
  sending: Sending,
  plan: PushPlan,
  { isThere, extra, first }: Rest,
): Promise<Outcome & { readonly deleted: readonly string[] }> {
  const { client, progress } = sending
  const tally = pushTally(sending)
  progress.begin('send', plan.send.length, totalBytes(plan.send))
  const changes = changer(sending, tally, { first: extra.filter((path) => first.has(path)) })
  let partBytes = 0
  const sendRound = async (round: readonly Content[]): Promise<void> => {
    try {
      await sendAhead(sending, round, tally, (bytes) => {
        partBytes += bytes
      })
    } catch (error) {
      // Others use the places of pending uploads too. A change of what is sent frees some.
      if (!(error instanceof ProblemError && error.kind === 'quota.uploads' && tally.hasAhead())) throw error
      await changes.add([])
      await sendRound(round.filter((content) => !tally.hasEnded(content)))
    }
  }
  try {
    const contents = contentsOf(plan.send)
    for (const content of contents.filter(isThere)) tally.known(content)
    for (const [index, round] of roundsOf(contents.filter((one) => !isThere(one))).entries()) {
      if (index > 0) await changes.add([])
      await sendRound(round)
    }
    await changes.add(extra.filter((path) => !first.has(path)))
  } catch (error) {
    if (!client.signal.aborted) throw error
    throw new Interrupted(client.signal.reason, {
      ...tally.reached(),
      ofFiles: plan.send.length,
      ofBytes: totalBytes(plan.send),
      partialBytes: Math.max(0, partBytes - tally.partedBytes()),
    })
  }
  progress.end()
  return { ...tally.outcome(), deleted: extra.filter((path) => changes.deleted.has(path)) }
}

/** Makes the changes of a push; `first` are deleted by the first one, in which files take their place. */
function changer(sending: Sending, tally: PushTally, { first }: { readonly first: readonly string[] }) {
  const deleted = new Set<string>()
  let inWay = first
  const change = async (files: readonly FileAhead[], others: readonly string[] = []) => {
    for (const path of await commitPush(sending, tally, files, { inWay, others })) deleted.add(path)
    inWay = []
  }
  return {
    deleted,
    /** Adds what is at the hub by now. Deletes the others of `rest` with the last files, if no file has failed. */
    async add(rest: readonly string[]): Promise<void> {
      const weigh = ({ local }: FileAhead) => Buffer.byteLength(local.path) + BYTES_BESIDE_PATH
      const batches = [...batchesOf(tally.takeAhead(), FILES_PER_CHANGE, CHANGE_BYTES, weigh)]
      const last = batches.pop() ?? []
      for (const files of batches) await change(files)
      const [some = [], ...more] = tally.hasFailed() ? [] : batchesOf(rest, DELETIONS_PER_CHANGE)
      await change(last, some)
      for (const paths of more) if (!tally.hasFailed()) await change([], paths)
    },
  }
}
