/** The hub's wandb for Python: a folder that, first on Python's path, answers `import wandb`. */
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Where it is in a checkout of the hub. */
const inCheckout = 'clients/python/src/hub/_as_wandb'

/** The folder, in the checkout that has this file; null where the program was installed without one. */
export function wandbFolder(): string | null {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const found = join(at, inCheckout)
    if (existsSync(join(found, 'wandb.py'))) return found
    if (dirname(at) === at) return null
  }
}

/** The variables of a command whose `import wandb` finds what is in the folder. */
export const withWandb = (env: Env, folder: string | null): Env =>
  folder === null ? env : { ...env, PYTHONPATH: [folder, ...(env.PYTHONPATH ? [env.PYTHONPATH] : [])].join(delimiter) }
