/** Shared memory, queues and semaphores of System V: they have no path, and outlive the processes that made them. */
import { readFile } from 'node:fs/promises'
import type { UnixIds } from '../../platform/unix-user.ts'
import { runAs } from './user-processes.ts'

/** The kernel's tables, the column of the id in each, and how `ipcrm` takes it. */
const TABLES = [
  { name: 'shm', column: 'shmid', flag: '-m' },
  { name: 'msg', column: 'msqid', flag: '-q' },
  { name: 'sem', column: 'semid', flag: '-s' },
] as const
/** So many ids fit into a command line. */
const AT_ONCE = 1_000

/** Removes what a user has made or owns, as that user. Throws if something stays. */
export async function removeSystemV(user: UnixIds): Promise<void> {
  const flags = await systemVOf(user)
  for (let at = 0; at < flags.length; at += AT_ONCE) {
    const some = flags.slice(at, at + AT_ONCE).flat()
    await runAs(user, 'ipcrm "$@" 2>/dev/null', some).catch(() => undefined)
  }
  const [stays] = flags.length === 0 ? [] : await systemVOf(user)
  if (stays) throw new Error(`${stays.join(' ')} of uid ${user.uid} (as \`ipcrm\` names it) cannot be removed`)
}

/** Each as arguments of `ipcrm`. */
async function systemVOf({ uid }: UnixIds): Promise<string[][]> {
  const found = TABLES.map(async ({ name, column, flag }) => {
    const table = await readFile(`/proc/sysvipc/${name}`, 'utf8').catch(() => '')
    return idsIn(table, column, uid).map((id) => [flag, id])
  })
  return (await Promise.all(found)).flat()
}

/** The ids of the rows of a table that a uid has made or owns. */
function idsIn(table: string, column: string, uid: number): string[] {
  const [names = [], ...rows] = table.split('\n').map((line) => line.trim().split(/\s+/))
  const at = (name: string) => names.indexOf(name)
  const isOf = (row: readonly string[]) => [row[at('uid')], row[at('cuid')]].includes(String(uid))
  return rows.filter(isOf).map((row) => row[at(column)] ?? '')
}
