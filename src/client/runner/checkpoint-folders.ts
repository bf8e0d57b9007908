/** The folders `checkpoints/step_{N}/` of a run, and whether they are complete. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { absent, stampOf } from './run-files.ts'

export interface CheckpointFolder {
  readonly step: number
  readonly name: string
}

/** Oldest step first. Other names, such as `step_5.tmp`, are folders under way. */
export async function foldersIn(dir: string): Promise<CheckpointFolder[]> {
  const entries = (await readdir(dir, { withFileTypes: true }).catch(absent)) ?? []
  return entries
    .flatMap((entry): CheckpointFolder[] => {
      const [, step] = /^step_(\d{1,15})$/.exec(entry.name) ?? []
      return step !== undefined && entry.isDirectory() ? [{ step: Number(step), name: entry.name }] : []
    })
    .sort((a, b) => a.step - b.step)
}

/** Answers whether the folder of this name has not changed for `settleMs`, from look to look. One that is made elsewhere and renamed waits no less. */
export function settledFolders(
  dir: string,
  settleMs: number,
  now = () => performance.now(),
): (name: string) => Promise<boolean> {
  const seen = new Map<string, { readonly stamp: string; readonly at: number }>()
  return async (name) => {
    const stamp = await stampOfFolder(join(dir, name))
    const before = seen.get(name)
    if (before?.stamp === stamp) return stamp !== '' && now() - before.at >= settleMs
    seen.set(name, { stamp, at: now() })
    return false
  }
}

/** '' for a folder without files. */
async function stampOfFolder(dir: string): Promise<string> {
  const names = (await readdir(dir, { recursive: true }).catch(absent)) ?? []
  const stamps = await Promise.all(names.sort().map(async (name) => `${name} ${await stampOf(join(dir, name))}`))
  return stamps.join('\n')
}
