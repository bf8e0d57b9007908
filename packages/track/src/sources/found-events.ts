/**
 * Event files of TensorBoard found without `--tensorboard`: those that the processes of the command have open, and new
 * ones in the folders it is in. Writers of TensorFlow and tensorboardX keep theirs open; PyTorch's opens it for each
 * write. They are polled: a watcher for each folder would have no bound.
 */
import { stat } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { basename, dirname, relative, sep } from 'node:path'
import { nullIfMissing } from '@hub/runner/worker/growing-file'
import { eventFilesIn } from '@hub/tensorboard'
import { commandFiles } from '../track-folder.ts'
import type { TrackJournal } from '../track-journal.ts'
import { commandProcesses, foldersOf, openEventFiles, type SeenProcesses } from './command-processes.ts'
import { type EventOptions, eventFile } from './event-file.ts'
import { pollEach, type Source } from './source.ts'

interface FoundOptions extends EventOptions {
  readonly journal: TrackJournal
  readonly now?: () => number
  readonly proc?: string
}

/** Between looks at the processes. */
const LOOK_MS = 2000
/** Between looks through folders, and longer where one takes long, so that they take at most 2 percent of the time. */
const SCAN_MS = 5000
const MAX_SCAN_MS = 300_000
const SHARE = 50
/** Folders of one look through, and their depth. */
const MAX_FOLDERS = 2000
const MAX_DEPTH = 8
/** Folders that are looked through: the command's, and those that its processes go to. */
const MAX_ROOTS = 5
const MAX_FILES = 1000
/** Folders that are said. */
const MAX_SAID = 5

/** Finds and follows the files. The journal has those that were found, so that a kill does not change their names. */
export function foundEvents(options: FoundOptions): Source {
  const { files, journal, logLine, now = () => performance.now(), proc = '/proc' } = options
  // Whatever starts after the end of the command is another's.
  const isOver = journal.state.ending !== null
  const processes = commandProcesses(files.dir, { proc, now })
  const followed = new Map<string, Source>()
  const foreign = new Set<string>()
  const said = new Set<string>()
  const roots = new Set([journal.state.cwd])
  let [lookAt, scanAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]

  for (const { file, run } of journal.state.foundEvents) followed.set(file, eventFile({ file, run }, 0, options))

  async function inFolders(isFinal: boolean): Promise<string[]> {
    if (!isFinal && now() < scanAt) return []
    const begun = now()
    const found: string[] = []
    const options = {
      maxFolders: MAX_FOLDERS,
      maxDepth: MAX_DEPTH,
      isMeant: (name: string) => !isBefore(name, journal),
    }
    for (const root of roots) for (const { file } of (await eventFilesIn(root, options)).files) found.push(file)
    scanAt = now() + Math.min(MAX_SCAN_MS, Math.max(SCAN_MS, SHARE * (now() - begun)))
    return found
  }

  /** A process that went elsewhere writes there; the root and a home are too wide. */
  function noteFolders(seen: SeenProcesses): void {
    for (const folder of foldersOf(seen.ours, proc)) {
      const isBelow = [...roots].some((root) => folder === root || folder.startsWith(`${root}${sep}`))
      if (!isBelow && roots.size < MAX_ROOTS && folder !== '/' && folder !== homedir()) roots.add(folder)
    }
  }

  async function look(isFinal: boolean): Promise<void> {
    const seen = processes.look()
    noteFolders(seen)
    const open = openEventFiles(seen.ours, proc)
    const candidates = [...open, ...(await inFolders(isFinal))].filter(
      (file) => !followed.has(file) && !foreign.has(file),
    )
    const isOurs = judgeOf(options, { seen, open, proc })
    for (const file of [...new Set(candidates)].sort(byBeginning)) {
      if (followed.size >= MAX_FILES)
        return sayOnce(`over ${MAX_FILES} event files of TensorBoard: the rest is not read`)
      if (await isOurs(file)) follow(file)
      else foreign.add(file)
    }
    lookAt = now() + LOOK_MS
  }

  function follow(file: string): void {
    const { foundEvents: before, commands: command } = journal.state
    const first = before.find((one) => one.command === command)
    const run = first === undefined ? '' : runBelow(dirname(first.file), file)
    journal.put({ foundEvents: [...before, { file, run, command }] })
    followed.set(file, eventFile({ file, run }, 0, options))
    if (said.size < MAX_SAID) sayOnce(`reading TensorBoard's files in ${dirname(file)}`)
  }

  function sayOnce(line: string): void {
    if (!said.has(line)) logLine(line)
    said.add(line)
  }

  return {
    async poll(isFinal) {
      if (!isOver && (isFinal || now() >= lookAt)) await look(isFinal)
      await pollEach(followed.values(), isFinal)
    },
  }
}

/** The folder of a file seen from that of the first: what is before its tags. */
const runBelow = (first: string, file: string): string =>
  relative(first, dirname(file))
    .split(sep)
    .filter((part) => part !== '..')
    .join('/')

/** Unix seconds in the name of an event file, its host and its process; writers of tensorboardX name no process. */
function nameOf(file: string) {
  const [, time, rest = ''] = /tfevents\.(\d{9,11})(?:\.(.*))?$/.exec(basename(file)) ?? []
  const [, host, pid] = /^(.+)\.(\d+)\.\d+(?:\.v2)?$/.exec(rest) ?? []
  return { time: time === undefined ? null : Number(time), host, pid: Number(pid ?? 0) }
}

/** The name says that another run began the file. */
function isBefore(name: string, { state }: TrackJournal): boolean {
  const { time } = nameOf(name)
  return time !== null && time < Math.floor(state.createdAt / 1000)
}

/** Of two that begin in one second the one nearer to the root is first: the other's folder is then below its own. */
const byBeginning = (a: string, b: string) =>
  (nameOf(a).time ?? 0) - (nameOf(b).time ?? 0) || depthOf(a) - depthOf(b) || (a < b ? -1 : 1)

const depthOf = (file: string) => file.split(sep).length

interface Judging {
  readonly seen: SeenProcesses
  /** What the command has open. */
  readonly open: ReadonlySet<string>
  readonly proc: string
}

/** Whether a file is of this command: begun while it ran, and not by a process that runs outside it. */
function judgeOf({ files, journal }: FoundOptions, { seen, open, proc }: Judging) {
  let ofOthers: ReadonlySet<string> | null = null
  const { createdAt, commands } = journal.state

  return async (file: string): Promise<boolean> => {
    const { time, host, pid } = nameOf(file)
    const begun = time ?? ((await stat(file).catch(nullIfMissing))?.birthtimeMs ?? 0) / 1000
    if (begun < Math.floor(createdAt / 1000)) return false
    if (open.has(file)) return true
    const ended = await stat(commandFiles(files, commands).exitCode).catch(nullIfMissing)
    if (ended !== null && begun > ended.mtimeMs / 1000) return false
    if (host === hostname() && seen.others.includes(pid)) return false
    ofOthers ??= openEventFiles(seen.others, proc)
    return !ofOthers.has(file)
  }
}
