/** Where a person stands who calls a command. */
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** This package: the sources are two folders down, the bundle one. */
const ownRoots = [join(import.meta.dirname, '..', '..'), join(import.meta.dirname, '..')]

/**
 * The folder that relative paths of a command begin in. npm changes to the package's folder before it runs a script, and keeps in `INIT_CWD` where it was
 * called; a command that was started in any other way stands where its process does.
 */
export function standingIn(script: string, env: Env, cwd: string): string {
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
