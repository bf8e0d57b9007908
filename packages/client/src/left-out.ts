/** What a push leaves out of a folder, and why. */
import { basename } from 'node:path'
import { foldersOf } from '@hub/text/file-path'
import { type PathFilter, pathRules } from './globs.ts'
import { holdsSecret } from './holds-secret.ts'
import { type IgnoreFiles, openIgnoreFiles } from './ignore-files.ts'
import { isBuiltName, isNeverName } from './left-out-names.ts'
import { isSecretName } from './secret-names.ts'

/** Why a path is left out: it is what tools make again, it holds a credential, an ignore file says so. */
type LeftOutReason = 'built' | 'secret' | 'ignored'

export interface LeftOut {
  /** A folder ends in `/`. */
  readonly path: string
  readonly reason: LeftOutReason
  /** The rule of an ignore file, `<file>: <pattern>`; null for the other reasons. */
  readonly rule: string | null
}

export interface LeaveOutOptions {
  readonly filter: PathFilter
  /** Whether to leave out what ignore files name, and build and cache folders. */
  readonly ignore: boolean
  readonly includeSecrets: boolean
}

/** Everything that the filter selects. */
export const nothingLeftOut: Omit<LeaveOutOptions, 'filter'> = { ignore: false, includeSecrets: true }

export type Leaving = ReturnType<typeof leavingOut>

/** Decides by paths alone, before anything is opened or followed; only `secret` reads a file. */
export function leavingOut({ filter, ignore, includeSecrets }: LeaveOutOptions) {
  const rules = pathRules(filter)
  const files: IgnoreFiles = openIgnoreFiles()
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const isNever = (path: string) => isNeverName(nameOf(path))

  /** Why a folder is left out. */
  function folder(path: string): LeftOut | null {
    if (!ignore || rules.names(path)) return null
    if (isBuiltName(nameOf(path))) return { path: `${path}/`, reason: 'built', rule: null }
    const rule = files.ruleFor(`${path}/`)
    return rule === null ? null : { path: `${path}/`, reason: 'ignored', rule }
  }

  /** Why a file is left out, by its name. */
  function file(path: string): LeftOut | null {
    if (rules.names(path)) return null
    if (!includeSecrets && isSecretName(path)) return { path, reason: 'secret', rule: null }
    const rule = ignore ? files.ruleFor(path) : null
    return rule === null ? null : { path, reason: 'ignored', rule }
  }

  return {
    rules,
    isNever,
    folder,
    file,
    /**
     * Whether a file holds a credential, by its content too, or by the name that a link to it leads to; `included`
     * where a pattern names it all the same.
     */
    async secret(path: string, at: string): Promise<LeftOut | 'included' | null> {
      if (includeSecrets) return null
      const isSecret = isSecretName(basename(at)) || (await holdsSecret(path, at))
      if (!isSecret) return null
      return rules.names(path) ? 'included' : { path, reason: 'secret', rule: null }
    },
    /** Reads the ignore files of a folder before its entries are looked at. */
    async enter(path: string, directory: string): Promise<void> {
      if (ignore) await files.read(path, directory)
    },
    /** Whether a path that need not exist here would be left out, itself or with a folder around it. */
    leavesOut: (path: string): boolean =>
      isNever(path) || foldersOf(path).some((above) => isNever(above) || folder(above) !== null) || file(path) !== null,
  }
}
