/** Names that are never sent, or only if asked for. Pure. */

/** Never pushed, at any depth: Git's and the hub's own data, and the marks of a file manager. */
const neverNames = new Set(['.git', '.hub', '.DS_Store'])

/** Folders that tools make again. */
const builtNames = new Set([
  '__pycache__',
  '.cache',
  '.eggs',
  '.ipynb_checkpoints',
  '.mypy_cache',
  '.nox',
  '.pytest_cache',
  '.ruff_cache',
  '.tox',
  '.venv',
  'node_modules',
  'venv',
  'wandb',
])

/** Prefix of the temporary files of an unfinished pull; never pushed. */
export const PARTIAL_PREFIX = '.hub-part-'

/** Whether a file or folder of this name is never sent. */
export const isNeverName = (name: string): boolean => neverNames.has(name) || name.startsWith(PARTIAL_PREFIX)

/** Whether tools make a folder of this name again. */
export const isBuiltName = (name: string): boolean => builtNames.has(name)
