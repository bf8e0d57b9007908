/** A folder of TensorBoard's event files (`--tensorboard DIR`), whose values become those of the run. */
import { sizeOf } from '@hub/runner/worker/growing-file'
import { eventFilesIn } from '@hub/tensorboard'
import type { EventFolder } from '../track-journal.ts'
import { type EventOptions, eventFile } from './event-file.ts'
import { pollEach, type Source } from './source.ts'

/** Between looks for new files. Those that are known are read at each poll. */
const LOOK_MS = 5000

/** The folder as it is before the command begins: what its files hold then is of another run. */
export async function eventFolderNow(folder: string): Promise<EventFolder> {
  const { files } = await eventFilesIn(folder)
  const sizes = await Promise.all(files.map(async ({ file }) => [file, await sizeOf(file)] as const))
  return { folder, before: Object.fromEntries(sizes) }
}

interface EventFolderOptions extends EventOptions {
  readonly now?: () => number
}

/** Follows all event files below the folder. The spool has how far each is read. */
export function eventFolder(
  { folder, before }: EventFolder,
  { now = () => performance.now(), ...options }: EventFolderOptions,
): Source {
  const { logLine } = options
  const known = new Map<string, Source>()
  let isCutSaid = false
  let dueAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const { files, isCut } = await eventFilesIn(folder)
    if (isCut && !isCutSaid) logLine(`${folder} has over 1,000 event files or 10,000 folders: the rest is not read`)
    isCutSaid ||= isCut
    for (const one of files)
      if (!known.has(one.file)) known.set(one.file, eventFile(one, before[one.file] ?? 0, options))
    dueAt = now() + LOOK_MS
  }

  return {
    async poll(isFinal) {
      if (isFinal || now() >= dueAt) await look()
      await pollEach(known.values(), isFinal)
    },
  }
}
