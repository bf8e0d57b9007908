/** `.gitignore` and `.hubignore` of a folder and the folders in it, read from the disk. */
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type IgnoreRules, ignoreFileNames, ignoreRules } from './ignore-rules.ts'

export interface IgnoreFiles extends Pick<IgnoreRules, 'ruleFor'> {
  /** Reads the ignore files in a folder (`''` is the root); before anything in it is asked for. */
  read(folder: string, directory: string): Promise<void>
}

/** The rules of deeper folders win over those of the folders around them. */
export function openIgnoreFiles(): IgnoreFiles {
  const rules = ignoreRules()
  return {
    async read(folder, directory) {
      for (const name of ignoreFileNames) {
        const text = await textOf(join(directory, name))
        if (text !== null) rules.add(folder, name, text)
      }
    },
    ruleFor: rules.ruleFor,
  }
}

/** Null unless it is a file: like Git, no link is followed. */
async function textOf(file: string): Promise<string | null> {
  const stats = await lstat(file).catch(() => null)
  return stats?.isFile() ? readFile(file, 'utf8') : null
}
