/** The directory a command was called from. */
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** The root of the repository: three folders above the sources, one above the bundle. */
const ownRoots = [join(import.meta.dirname, '..', '..', '..'), join(import.meta.dirname, '..')]

/**
 * The base directory for relative paths of a command. npm changes to the package folder before it runs a script and
 * stores the caller's directory in `INIT_CWD`; otherwise it is the working directory of the process.
 */
export function callerDirectory(script: string, env: Env, cwd: string): string {
  const { INIT_CWD: called, npm_lifecycle_event: event, npm_package_json: manifest } = env
  if (!called || event !== script || !manifest) return cwd
  const root = real(dirname(manifest))
  return root === real(cwd) && ownRoots.some((own) => real(own) === root) ? called : cwd
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
