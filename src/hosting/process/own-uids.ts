/** Whether this machine lets the hub give each call a uid of its own, and which numbers are someone's. */
import { readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { hasName, type IdRange, rangeText } from '../../platform/unix-user.ts'
import { asUserFault } from './as-user.ts'

/**
 * Bits of `CapEff`: to give a folder away, to look into it, to end another user's processes, and to become that user.
 */
const NEEDED = { CAP_CHOWN: 0, CAP_DAC_OVERRIDE: 1, CAP_KILL: 5, CAP_SETGID: 6, CAP_SETUID: 7 }
const CAP_SYS_PTRACE = 19
/** Their names, as systemd has them. */
export const neededCapabilities = Object.keys(NEEDED)

/** Why calls cannot have uids of this range, as the end of a sentence; null if they can. */
export function uidsFault(range: IdRange): string | null {
  if (process.platform !== 'linux') return 'only Linux shows the hub all processes of a uid'
  if (process.getuid?.() !== 0) return 'the hub does not run as root'
  const missing = missingCapabilities()
  if (missing.length > 0) return `the hub lacks ${missing.join(', ')}`
  for (const map of ['/proc/self/uid_map', '/proc/self/gid_map'])
    if (!isMapped(textOf(map), range)) return `${rangeText(range)} is not mapped into this container (${map})`
  const closed = foldersAbove(tmpdir()).find((folder) => !isEntered(folder))
  if (closed === undefined) return asUserFault()
  return `other users cannot enter ${closed}, where the folders of calls are (TMPDIR)`
}

/** Without CAP_SYS_PTRACE a hidden `/proc` would show no process of another user, as if none were left. */
function missingCapabilities(): string[] {
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(textOf('/proc/self/status'))?.[1] ?? '0'}`)
  const isHeld = (bit: number) => ((held >> BigInt(bit)) & 1n) === 1n
  const needed = Object.entries(NEEDED).flatMap(([name, bit]) => (isHeld(bit) ? [] : [name]))
  return isHidden(textOf('/proc/self/mounts')) && !isHeld(CAP_SYS_PTRACE) ? [...needed, 'CAP_SYS_PTRACE'] : needed
}

/** Whether `/proc` is mounted so that users do not see each other's processes. */
export function isHidden(mounts: string): boolean {
  const options =
    mounts
      .split('\n')
      .findLast((line) => line.split(' ')[1] === '/proc')
      ?.split(' ')[3] ?? ''
  return options.split(',').some((option) => option.startsWith('hidepid=') && !/=(0|off)$/.test(option))
}

/** Whether a map of ids, in the form of `/proc/self/uid_map`, has the whole range. */
export function isMapped(map: string, { first, last }: IdRange): boolean {
  const lines = map.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  let at = first
  for (;;) {
    const found = lines.find(([inside = 0, , count = 0]) => inside <= at && at < inside + count)
    if (!found) return false
    at = (found[0] ?? 0) + (found[2] ?? 0)
    if (at > last) return true
  }
}

function foldersAbove(folder: string): string[] {
  const at = resolve(folder)
  return at === dirname(at) ? [at] : [...foldersAbove(dirname(at)), at]
}

function isEntered(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found === undefined || (found.mode & 0o001) !== 0
}

/** Whether the number belongs to someone: a user, a group, or the containers of a user. */
export async function isSomebodys(id: number): Promise<boolean> {
  const isLent = ['/etc/subuid', '/etc/subgid'].some((file) => isInSubordinate(textOf(file), id))
  return isLent || hasName(id)
}

/** Whether a file in the form of `/etc/subuid` has the number. */
export function isInSubordinate(text: string, id: number): boolean {
  return text.split('\n').some((line) => {
    const [, first, count] = line.split(':')
    return first !== undefined && Number(first) <= id && id < Number(first) + Number(count)
  })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
