/** Runners may share a work folder; the lock keeps each run with one of them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isAlive, thisProcess } from './command.ts'
import { nullIfMissing } from './run-files.ts'

/** Records this process as the holder. */
export async function lock(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(thisProcess()))
}

/** Whether a living process holds it. */
export async function isLocked(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(nullIfMissing)
  if (text === null) return false
  try {
    const { pid, born } = JSON.parse(text) as { pid: number; born: string }
    return isAlive({ pid, born })
  } catch {
    return false
  }
}
