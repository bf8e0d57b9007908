/**
 * The data folder (HUB_DATA_DIR), closed to the other users of the machine, also where it was made before with wider
 * permissions. No one enters what is below a closed folder, so a start looks at the folder, at what the hub has right
 * in it, and at the first level of the database and the store: a number of paths that does not grow with the data.
 */
import { access, constants, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../platform/config-error.ts'
import { closeToOthers, isOpenToOthers, makePrivateFolder } from './private-folder.ts'

/** First parts of the names that the hub gives. */
const OWN = ['secret', 'objects', 'postgres', 'hosted', 'hosted-place', 'hosted-locks', 'lost+found']
/** Folders whose entries are closed too: `hosted` has a file for each call in progress. */
const WALKED = ['objects', 'postgres', 'hosted']

const isOwn = (name: string) => OWN.includes(name.split('.')[0] ?? '')

/** Where the server is another user, and can be told its directory only by its path, that path must lead through. */
const isPassedThrough = process.platform !== 'linux' && process.getuid?.() === 0

/**
 * Makes HUB_DATA_DIR where it is not there, closed to other users; throws a `ConfigError` that names it where it cannot
 * be made or written.
 */
export async function ensureDataDir(dataDir: string): Promise<void> {
  await makePrivateFolder(dataDir).catch((error: unknown) => {
    throw new ConfigError([`HUB_DATA_DIR: ${dataDir} cannot be made: ${messageOf(error)}`])
  })
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw new ConfigError([`HUB_DATA_DIR: ${dataDir} cannot be written: ${messageOf(error)}`])
  })
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Closes it, if it is there; a sentence for the operator where something stays open, else null. What is not the hub's
 * is never touched.
 */
export async function closeDataFolder(dataDir: string): Promise<string | null> {
  const names = await readdir(dataDir).catch(() => [])
  const own = names.filter((name) => isOwn(name) && name !== 'lost+found').map((name) => join(dataDir, name))
  const below = await Promise.all(
    WALKED.map(async (name) => {
      const entries = await readdir(join(dataDir, name)).catch(() => [])
      return entries.map((entry) => join(dataDir, name, entry))
    }),
  )
  for (const path of [...own, ...below.flat()]) await closeToOthers(path)
  if (isPassedThrough) return null
  // A folder that others use too would be taken away from them.
  if (names.every(isOwn)) await closeToOthers(dataDir)
  return openDataFolder(dataDir)
}

/** What other users can reach of the data folder, as a sentence; null if nothing. Changes nothing. */
export async function openDataFolder(dataDir: string): Promise<string | null> {
  if (isPassedThrough || !(await isOpenToOthers(dataDir))) return null
  const names = await readdir(dataDir).catch(() => [])
  const others = names.filter((name) => !isOwn(name))
  const open: string[] = []
  for (const name of names.filter((one) => isOwn(one) && one !== 'lost+found'))
    if (await isOpenToOthers(join(dataDir, name))) open.push(name)
  const reached = open.length === 0 ? '' : `, and read ${open.join(', ')}`
  const why = others.length === 0 ? '' : `; it was left open because it holds other things too (${shown(others)})`
  return `Other users of this machine can list ${dataDir}${reached}${why}.`
}

const shown = (names: readonly string[]) => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`
