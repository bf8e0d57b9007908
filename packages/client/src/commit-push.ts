/** Makes what was sent ahead files of the repo, and deletes what has to go: one change. */
import { randomUUID } from 'node:crypto'
import { failureLine, ProblemError, refusedIndexes } from './problem.ts'
import type { PushPlan } from './push-plan.ts'
import type { FileAhead, PushTally } from './push-tally.ts'
import { sendAgain } from './send-ahead.ts'
import type { Sending } from './sending.ts'
import type { PushedCommit } from './state.ts'

/** The hub hashes contents up to this size before a commit, and says the digests of larger ones later. */
const HASHED_FIRST_BYTES = 104_857_600

/** Files of the repo to delete. */
export interface Deletions {
  /** In the way of a file that is sent. */
  readonly inWay: readonly string[]
  /** Only if no file fails: one may have the bytes of a file that is to take its place under another name. */
  readonly others: readonly string[]
}

/**
 * Commits the files and deletions; resolves with the deleted paths. If the hub rejects some of them, those fail (a path
 * that is gone already does not), and the rest is committed. Other errors fail all of these files. If the hub lacks
 * bytes, those that an earlier push sent ahead are sent again, once. If it does not take the run, and the caller allows
 * it, the files are committed without one: they matter more than where they are from.
 */
export async function commitPush(
  sending: Sending,
  tally: PushTally,
  files: readonly FileAhead[],
  { inWay, others }: Deletions,
): Promise<readonly string[]> {
  const deletions = [...inWay, ...others]
  if (files.length + deletions.length === 0) return []
  const add = files.map(({ local: { path, sha256, size } }) => ({ path, sha256, size }))
  const { message, onRunRefused } = sending.said
  const runId = sending.hub.takesRun ? sending.said.runId : undefined
  const body = { add, delete: deletions, message, ...(runId !== undefined && { run_id: runId }) }
  let commitId: string
  try {
    commitId = await commitOnce(sending, body)
  } catch (error) {
    sending.client.signal.throwIfAborted()
    if (!(error instanceof ProblemError)) throw error
    if (runId !== undefined && onRunRefused && isAboutRun(error)) {
      sending.hub.takesRun = false
      onRunRefused(failureLine(error))
      return commitPush(sending, tally, files, { inWay, others })
    }
    if (error.kind === 'upload.part_missing' && files.some(({ from }) => from === 'memory')) {
      const again = await sendAgain(sending, files, tally)
      return commitPush(sending, tally, again, { inWay, others: again.length < files.length ? [] : others })
    }
    const refused = refusedIndexes(error, 'add', files.length)
    const gone = error.status === 404 ? refusedIndexes(error, 'delete', deletions.length) : new Map<number, string>()
    if (refused.size + gone.size === 0) {
      if (files.length === 0) throw error
      for (const { local } of files) tally.fail(local, failureLine(error), error)
      return []
    }
    for (const [index, why] of refused) {
      const one = files[index]
      if (one) tally.fail(one.local, why, error)
    }
    return commitPush(
      sending,
      tally,
      files.filter((_, index) => !refused.has(index)),
      {
        inWay: inWay.filter((_, index) => !gone.has(index)),
        others: refused.size > 0 ? [] : others.filter((_, index) => !gone.has(inWay.length + index)),
      },
    )
  }
  tally.committed(files, commitId)
  return deletions
}

const isAboutRun = ({ status, entries }: ProblemError): boolean =>
  status === 422 && entries.some(({ loc }) => loc.at(-1) === 'run_id')

/** Its id. A commit with a file whose digest the hub does not say yet is remembered until it is answered. */
async function commitOnce(
  { client, repo, state }: Sending,
  body: PushedCommit,
  key: string = randomUUID(),
): Promise<string> {
  const large = body.add.filter(({ size }) => size > HASHED_FIRST_BYTES)
  if (large.length > 0) state.rememberCommitting({ key, body })
  let commitId: string
  try {
    commitId = (await client.commitFiles(repo, body, key)).commit_id
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500) state.rememberCommitted(key)
    throw error
  }
  await rememberDigests({ client, repo, state }, large)
  state.rememberCommitted(key)
  return commitId
}

async function rememberDigests(
  { client, repo, state }: Pick<Sending, 'client' | 'repo' | 'state'>,
  large: PushedCommit['add'],
) {
  for (const { path, sha256 } of large)
    for await (const page of client.tree(repo, path)) {
      const entry = page.find((one) => one.path === path)
      if (entry) state.rememberStored(entry, sha256)
      break
    }
}

/**
 * Repeats commits whose response an earlier push never received, under their original key, if the plan would still do
 * all of it: without their digests, their large files would be sent again. Resolves with whether one has been answered,
 * so that the plan has changed.
 */
export async function replayCommits(
  sending: Sending,
  { send }: PushPlan,
  deletions: readonly string[],
): Promise<boolean> {
  const digests = new Map(send.map(({ path, sha256 }) => [path, sha256]))
  const mayGo = new Set(deletions)
  let isAnswered = false
  for (const { key, body } of sending.state.openCommits()) {
    const isMeant =
      body.add.every(({ path, sha256 }) => digests.get(path) === sha256) && body.delete.every((path) => mayGo.has(path))
    if (!isMeant) continue
    try {
      await commitOnce(sending, body, key)
      isAnswered = true
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
    }
  }
  return isAnswered
}
