/** Packages that only some commands need, and that the package `hub` does not bring because they are large. */
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LocalError } from '@hub/client/internal'
import manifest from '../package.json' with { type: 'json' }

const versions: Readonly<Record<string, string>> = manifest.peerDependencies

/** Throws a `LocalError` with the command that installs the package if it is not there. `instead`: what does without it. */
export function assertInstalled(command: string, name: keyof typeof manifest.peerDependencies, instead = ''): void {
  if (isInstalled(name)) return
  const install = `npm install ${placeOf(dirname(fileURLToPath(import.meta.url)))} ${name}@${versions[name]}`
  throw new LocalError(
    `\`hub ${command}\` needs the package ${name}, which is not installed: ${install}${instead && ` (${instead})`}`,
  )
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch (error) {
    // A package without a CommonJS entry is there.
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND'
  }
}

/** Where npm must install for a module of `folder` to find it: beside the package `hub`, or beside the one file. */
export function placeOf(folder: string): string {
  const installed = `${sep}node_modules${sep}hub${sep}dist`
  if (!folder.endsWith(installed)) return `--prefix ${folder}`
  const prefix = folder.slice(0, -installed.length)
  return prefix.endsWith(`${sep}lib`) ? `--global --prefix ${dirname(prefix)}` : `--prefix ${prefix}`
}
