/** The processes of a command and the event files that they have open, on Linux; none are seen elsewhere. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What one look sees, by process id. */
export interface SeenProcesses {
  readonly ours: readonly number[]
  readonly others: readonly number[]
}

/** After so long a process is looked at again: its id may be another's by now. */
const RECHECK_MS = 30_000
/** Open files of a process that are looked at. */
const MAX_FILES = 4096
const NAME = 'HUB_RUN_DIR='

/**
 * Tells the processes of the command of a run folder from all others: they have the folder in their environment, or the
 * command below one that has. Those of a `hub track` within the command have another folder.
 */
export function commandProcesses(
  runDir: string,
  { proc = '/proc', now = () => performance.now() }: { readonly proc?: string; readonly now?: () => number } = {},
): { look(): SeenProcesses } {
  const judged = new Map<number, { readonly isOurs: boolean; readonly at: number }>()

  function isOurs(id: number): boolean {
    const folder = folderOf(join(proc, String(id)))
    if (folder !== null) return folder === runDir
    return judged.get(parentOf(join(proc, String(id))))?.isOurs ?? false
  }

  return {
    look() {
      const ids = listed(proc).map(Number).filter(Number.isInteger)
      const alive = new Set(ids)
      for (const id of judged.keys()) if (!alive.has(id)) judged.delete(id)
      for (const id of ids.sort((a, b) => a - b)) {
        const at = judged.get(id)?.at ?? Number.NEGATIVE_INFINITY
        if (now() - at >= RECHECK_MS) judged.set(id, { isOurs: isOurs(id), at: now() })
      }
      const ours = (id: number) => judged.get(id)?.isOurs ?? false
      return { ours: ids.filter(ours), others: ids.filter((id) => !ours(id)) }
    },
  }
}

/** Paths of the event files that the processes have open to write; a TensorBoard that shows them reads. */
export function openEventFiles(ids: readonly number[], proc = '/proc'): Set<string> {
  const found = new Set<string>()
  for (const id of ids) {
    const folder = join(proc, String(id))
    for (const name of listed(join(folder, 'fd')).slice(0, MAX_FILES)) {
      const file = linkAt(join(folder, 'fd', name))
      if (!file?.startsWith('/') || !basename(file).includes('tfevents') || file.endsWith(' (deleted)')) continue
      if (isWritten(join(folder, 'fdinfo', name))) found.add(file)
    }
  }
  return found
}

/** The folders that the processes are in. */
export const foldersOf = (ids: readonly number[], proc = '/proc'): Set<string> =>
  new Set(ids.flatMap((id) => linkAt(join(proc, String(id), 'cwd')) ?? []))

/** The flags of an open file are octal; the last two bits are 0 where it is only read. */
function isWritten(info: string): boolean {
  const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(textAt(info)) ?? []
  return Number.parseInt(flags, 8) % 4 !== 0
}

/** The run folder in the environment of a process; null if there is none, or it may not be read. */
function folderOf(process: string): string | null {
  const words = textAt(join(process, 'environ')).split('\0')
  return words.find((word) => word.startsWith(NAME))?.slice(NAME.length) ?? null
}

function parentOf(process: string): number {
  const stat = textAt(join(process, 'stat'))
  // The parenthesized name may contain anything; after it come the state (field 3) and the parent (field 4).
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

/** Empty where it may not be read, or the process has ended. */
function textAt(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Names in a folder; none of a process that has ended or is another person's. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
