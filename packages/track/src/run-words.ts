/**
 * `wandb.json` of the run folder: name, project, tags and the like, as a script says them to wandb, and the run that its
 * wandb id was before. What the person said on the command line stays.
 */
import type { HubClient } from '@hub/client/internal'
import { isJsonObject } from '@hub/formats/exact-json'
import { textOf, versionOf } from '@hub/runner/run-files'
import { isRefusal, reasonOf } from './run-claim.ts'
import type { TrackFiles } from './track-folder.ts'
import type { TrackJournal } from './track-journal.ts'

interface WordsOptions {
  readonly client: HubClient
  readonly files: Pick<TrackFiles, 'words'>
  readonly journal: TrackJournal
  readonly logLine: (line: string) => void
}

/** Tells the hub of `wandb.json` once it is there, and of what changes in it. */
interface WordSender {
  send(isFinal: boolean): Promise<void>
}

const isText = (value: unknown) => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const kinds = {
  project: isText,
  name: isText,
  group: isText,
  job_type: isText,
  notes: isText,
  tags: isTexts,
  // Of a wandb id that was another run before.
  parent_run_id: isText,
} as const

/** The sender of one attempt. */
export function wordSender({ client, files, journal, logLine }: WordsOptions): WordSender {
  let seen: string | null = null

  async function tell(words: Readonly<Record<string, unknown>>): Promise<void> {
    const { runId } = journal.state
    try {
      await client.v1.updateRun({ path: { run_id: runId }, body: words as never })
    } catch (error) {
      if (!isRefusal(error)) throw error
      const members = Object.entries(words)
      if (members.length === 1) return logLine(`${members[0]?.[0]} of wandb.json is not kept: ${reasonOf(error)}`)
      // One that the hub refuses does not keep the others from it.
      for (const [member, value] of members) await tell({ [member]: value })
    }
  }

  return {
    async send(isFinal) {
      const version = await versionOf(files.words)
      if (version === null || (version === seen && !isFinal)) return
      const words = wordsIn(await textOf(files.words))
      // Half of a file that is being written: it is read again.
      if (words === null) return
      const { words: told, start } = journal.state
      const fresh = Object.entries(words).filter(
        ([member, value]) => !(member in start.body) && JSON.stringify(told[member]) !== JSON.stringify(value),
      )
      if (fresh.length > 0) {
        await tell(Object.fromEntries(fresh))
        journal.put({ words: { ...told, ...Object.fromEntries(fresh) } })
      }
      seen = version
    },
  }
}

/** The members that the hub keeps a run by, without empty ones; null if the text is not a JSON object. */
function wordsIn(text: string | null): Record<string, unknown> | null {
  try {
    const given: unknown = JSON.parse(text ?? '')
    if (!isJsonObject(given)) return null
    const entries = Object.entries(kinds).map(([member, isKind]) => [member, isKind, given[member]] as const)
    return Object.fromEntries(
      entries.flatMap(([member, isKind, value]) => (isKind(value) && value !== '' ? [[member, value]] : [])),
    )
  } catch {
    return null
  }
}
