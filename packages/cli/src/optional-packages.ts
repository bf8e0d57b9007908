/** Packages that only some commands need, and that the package `hub` does not bring because they are large. */
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LocalError } from '@hub/client/internal'

/**
 * Their versions, which are those that the workers are tested with: optional peers of the packed package. In the tree
 * they belong to the packages of the workers alone, so that a server is installed without them.
 */
export const optionalPackages = {
  '@mujoco/mujoco': '3.14.0',
  'onnxruntime-web': '1.30.0',
  'playwright-core': '1.65.1',
} as const

/**
 * Throws a `LocalError` with the command that installs the package if it is not there. `instead`: what does without it.
 */
export function assertInstalled(command: string, name: keyof typeof optionalPackages, instead = ''): void {
  const missing = missingPackage(name)
  if (missing !== null) throw new LocalError(`\`hub ${command}\` needs ${missing}${instead && ` (${instead})`}`)
}

/** `the package ..., which is not installed`, with the command that installs it; null where it is there. */
export function missingPackage(name: keyof typeof optionalPackages): string | null {
  if (isInstalled(name)) return null
  const install = `npm install ${placeOf(dirname(fileURLToPath(import.meta.url)))} ${name}@${optionalPackages[name]}`
  return `the package ${name}, which is not installed: ${install}`
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

/**
 * A part of a worker's package. Throws a `LocalError` where the package is left out, as on the machine of a hub whose
 * checks run elsewhere; the packed command has it in itself.
 */
export async function fromWorker<T>(
  command: 'check-worker' | 'policy-server' | 'rollout',
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'@hub/${command}'`)) throw error
    throw new LocalError(
      `\`hub ${command}\` needs the package @hub/${command}, which is not installed: npm ci, in the folder of the hub and without --workspace, installs every package`,
    )
  }
}

/** Where npm must install for a module of `folder` to find it: beside the package `hub`, or beside the one file. */
export function placeOf(folder: string): string {
  const installed = `${sep}node_modules${sep}hub${sep}dist`
  if (!folder.endsWith(installed)) return `--prefix ${folder}`
  const prefix = folder.slice(0, -installed.length)
  return prefix.endsWith(`${sep}lib`) ? `--global --prefix ${dirname(prefix)}` : `--prefix ${prefix}`
}
