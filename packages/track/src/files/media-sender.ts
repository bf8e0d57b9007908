/**
 * Brings `media.jsonl` to the hub: the files of its lines to the run's output repo, many in a change, then the lines as
 * media of the run. The journal has how far both are.
 */
import { join } from 'node:path'
import { type HubClient, isOfContent, refusedIndexes } from '@hub/client/internal'
import { sizeOf } from '@hub/runner/worker/growing-file'
import { reasonOf } from '../run-claim.ts'
import type { TrackFiles } from '../track-folder.ts'
import type { TrackJournal } from '../track-journal.ts'
import { type JudgedLine, judgeLine, type MediaEntry } from './media-lines.ts'
import { nameOutput } from './output-repo.ts'
import { forgetPushed, type Pushed, pushFiles, removePushed } from './push-files.ts'
import { readLines } from './read-lines.ts'

export interface FileSenderOptions {
  /** For files: tries again by itself. */
  readonly transfers: HubClient
  readonly files: TrackFiles
  readonly journal: TrackJournal
  readonly logLine: (line: string) => void
}

/** Entries that the hub takes in a request. */
const MAX_ENTRIES = 100

/** Sends what there is, of the run and attempt that the journal names; `isFinal`: a last line without an end is one. */
export function mediaSender(options: FileSenderOptions): { poll(isFinal: boolean): Promise<void> } {
  const { transfers: client, files, journal } = options
  const leaveOut = leavingOut(options.logLine)
  const staging = join(files.root, 'sending-media')

  async function push(judged: readonly JudgedLine[]): Promise<Pushed> {
    const { target, media } = journal.state
    const sent = judged.flatMap(({ media: file }) => file ?? [])
    if (sent.length === 0 || target === null) return nothingPushed()
    return pushFiles({ client, repo: target, staging, message: `Media of ${media.run}` }, sent)
  }

  return {
    async poll(isFinal) {
      const { runId, attempt } = journal.state
      // An attempt that began meanwhile has its own account of what is sent.
      const isOurs = () => journal.state.runId === runId && journal.state.attempt === attempt
      const end = await sizeOf(files.media)
      while (isOurs() && journal.state.media.bytes < end) {
        const { lines, size, to, arePushed } = await nextLines(options, end, isFinal)
        if (size === 0) return
        const run = journal.state.media.run ?? runId
        journal.put({ media: { ...journal.state.media, run } })
        const judged = await allJudged(lines, { dir: files.dir, folder: `runs/${run}`, arePushed }, leaveOut)
        const { refused, inodes } = arePushed ? nothingPushed() : await push(judged)
        if (!isOurs()) return
        if (!arePushed) journal.put({ media: { ...journal.state.media, pushed: to } })
        await removePushed(inodes)
        await forgetPushed(staging)
        const kept = judged.filter(({ entry, media }) => {
          const why = media && refused.get(media.path)
          if (why) leaveOut(entry.key, why)
          return !why
        })
        if (kept.some(({ media }) => media !== null)) await nameOutput(client, journal)
        const entries = kept.map(({ entry }) => entry)
        for (let at = 0; at < entries.length && isOurs(); at += MAX_ENTRIES)
          await record(options, entries.slice(at, at + MAX_ENTRIES), leaveOut)
        if (!isOurs()) return
        journal.put({ media: { ...journal.state.media, bytes: to } })
      }
    },
  }
}

type LeaveOut = (key: unknown, why: string) => void

/** Says what is left out, each name once. */
function leavingOut(logLine: (line: string) => void): LeaveOut {
  const said = new Set<string>()
  return (key, why) => {
    const name = typeof key === 'string' ? key : 'a line'
    if (!said.has(name)) logLine(`media ${name} is left out: ${why}`)
    said.add(name)
  }
}

/** Lines from where the journal is; those that an earlier attempt pushed end where it had got to. */
async function nextLines({ files, journal, logLine }: FileSenderOptions, end: number, isFinal: boolean) {
  const { bytes, pushed } = journal.state.media
  const batch = await readLines(files.media, bytes, bytes < pushed ? pushed : end, isFinal)
  for (const why of batch.refused) logLine(`dropped a line of media.jsonl: ${why}`)
  return { ...batch, to: bytes + batch.size, arePushed: bytes < pushed }
}

type Line = Parameters<typeof judgeLine>[0]

async function allJudged(lines: readonly Line[], place: Parameters<typeof judgeLine>[1], leaveOut: LeaveOut) {
  const judged: JudgedLine[] = []
  for (const line of lines) {
    const verdict = await judgeLine(line, place)
    if (typeof verdict === 'string') leaveOut(line.key, verdict)
    else judged.push(verdict)
  }
  return judged
}

const nothingPushed = (): Pushed => ({ refused: new Map(), inodes: new Map() })

/** Records entries as media of the run; those that the hub refuses are left out. */
async function record(to: FileSenderOptions, entries: readonly MediaEntry[], leaveOut: LeaveOut): Promise<void> {
  if (entries.length === 0) return
  const { runId, attempt } = to.journal.state
  try {
    await to.transfers.v1.recordRunMedia({ path: { run_id: runId }, body: { attempt, media: entries as never } })
  } catch (error) {
    if (!isOfContent(error)) throw error
    const refused = refusedIndexes(error, 'media', entries.length)
    for (const [index, why] of refused) leaveOut(entries[index]?.key, why)
    const others = entries.filter((_, index) => !refused.has(index))
    if (refused.size > 0) return record(to, others, leaveOut)
    if (error.limit?.unit === 'entries') return leaveOut('of the run', reasonOf(error))
    if (entries.length === 1) return leaveOut(entries[0]?.key, reasonOf(error))
    // It names none: the halves tell, so that one entry does not take the others with it.
    const half = Math.ceil(entries.length / 2)
    await record(to, entries.slice(0, half), leaveOut)
    await record(to, entries.slice(half), leaveOut)
  }
}
