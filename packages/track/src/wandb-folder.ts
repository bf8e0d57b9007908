/** The hub's wandb for Python: a folder that, first on Python's path, answers `import wandb`. */
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Where it is beside the packed command, and in a checkout of the hub. */
const places = ['python/hub/_as_wandb', 'clients/python/src/hub/_as_wandb']

/** The folder of this program; null where it was packed without one. `from`: the folder of its code. */
export function wandbFolder(from: string = import.meta.dirname): string | null {
  for (let at = from; ; at = dirname(at)) {
    const found = places.map((place) => join(at, place)).find((folder) => existsSync(join(folder, 'wandb.py')))
    if (found !== undefined) return found
    if (dirname(at) === at) return null
  }
}

/** The variables of a command whose `import wandb` finds what is in the folder. */
export const withWandb = (env: Env, folder: string | null): Env =>
  folder === null ? env : { ...env, PYTHONPATH: [folder, ...(env.PYTHONPATH ? [env.PYTHONPATH] : [])].join(delimiter) }
