/** The folders `checkpoints/step_{N}/` of a run, and whether they are complete. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { versionOf } from './run-files.ts'
import { nullIfMissing } from './worker/growing-file.ts'

export interface CheckpointFolder {
  readonly step: number
  readonly name: string
}

/** Lowest step first. Other names, such as `step_5.tmp`, are still being written. */
export async function listCheckpoints(dir: string): Promise<CheckpointFolder[]> {
  const entries = (await readdir(dir, { withFileTypes: true }).catch(nullIfMissing)) ?? []
  return entries
    .flatMap((entry): CheckpointFolder[] => {
      const [, step] = /^step_(\d{1,15})$/.exec(entry.name) ?? []
      return step !== undefined && entry.isDirectory() ? [{ step: Number(step), name: entry.name }] : []
    })
    .sort((a, b) => a.step - b.step)
}

/**
 * Returns a check whether the named folder has been unchanged for `settleMs` across calls. A folder that was renamed
 * into place waits as long.
 */
export function stabilityCheck(
  dir: string,
  settleMs: number,
  now = () => performance.now(),
): (name: string) => Promise<boolean> {
  const seen = new Map<string, { readonly stamp: string; readonly at: number }>()
  return async (name) => {
    const stamp = await folderVersion(join(dir, name))
    const before = seen.get(name)
    if (before?.stamp === stamp) return stamp !== '' && now() - before.at >= settleMs
    seen.set(name, { stamp, at: now() })
    return false
  }
}

/** '' for an empty folder. */
async function folderVersion(dir: string): Promise<string> {
  const names = (await readdir(dir, { recursive: true }).catch(nullIfMissing)) ?? []
  const stamps = await Promise.all(names.sort().map(async (name) => `${name} ${await versionOf(join(dir, name))}`))
  return stamps.join('\n')
}
