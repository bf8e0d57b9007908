/**
 * Whose a staging folder is. Each import has one of its own, so that two of one repo take nothing from each other; what
 * an interrupted one left is taken over by the next one of the same. The name says who holds it:
 * `ID.HOST-PID-RANDOM`, or `ID.RANDOM` once it is left.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** How long an interrupted import may rest before it starts over: 30 days. */
const KEPT_STAGE_MS = 30 * 86_400_000

/** So long a folder is left to a machine whose processes are not seen from here. */
const FOREIGN_MS = 86_400_000

const HELD = /\.([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{8}$/

const host = () => shortHash(hostname(), 8)
const random = () => randomBytes(4).toString('hex')
const shortHash = (text: string, digits: number) => createHash('sha256').update(text).digest('hex').slice(0, digits)

/** The real paths of those that imports of this process hold. */
const heldHere = new Set<string>()

/** A folder for this import alone, perhaps with what an interrupted one of the same brought; `of` says what is the same. */
export async function claimStage(cacheDir: string, of: string): Promise<string> {
  const all = join(cacheDir, 'imports')
  await mkdir(all, { recursive: true, mode: 0o700 })
  const root = await realpath(all)
  const id = shortHash(of, 32)
  const folder = join(root, `${id}.${host()}-${process.pid}-${random()}`)
  heldHere.add(folder)
  for (const name of await readdir(root)) {
    if (name.split('.', 1)[0] !== id || (await isHeld(join(root, name)))) continue
    // Of several that take it over at once, one has it.
    if (await moved(join(root, name), folder)) return folder
  }
  await mkdir(folder, { mode: 0o700 })
  return folder
}

/** Leaves what was brought to the next import of the same. */
export async function leaveStage(folder: string): Promise<void> {
  const [id = ''] = basename(folder).split('.', 1)
  await moved(folder, join(dirname(folder), `${id}.${random()}`))
  heldHere.delete(folder)
}

/** Removes what an import has brought to its end. */
export async function dropStage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  heldHere.delete(folder)
}

/** An interrupted import may never be repeated, or its source may have left the commit: what it brought goes. */
export async function dropOldStages(cacheDir: string): Promise<void> {
  const all = join(cacheDir, 'imports')
  for (const name of await readdir(all).catch(() => [])) {
    const folder = join(all, name)
    const found = await stat(folder).catch(() => null)
    if (!found || Date.now() - found.mtimeMs <= KEPT_STAGE_MS || (await isHeld(folder))) continue
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether an import that is not known to have ended works in the folder. */
async function isHeld(folder: string): Promise<boolean> {
  const [, machine = '', pid = ''] = HELD.exec(basename(folder)) ?? []
  if (machine === '') return false
  if (machine === host()) return Number(pid) === process.pid ? heldHere.has(folder) : isAlive(Number(pid))
  const found = await stat(folder).catch(() => null)
  return found !== null && Date.now() - found.mtimeMs < FOREIGN_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** False if there is nothing to move. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
