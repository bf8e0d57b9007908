/**
 * Checkpoints of a run: directories `checkpoints/step_{N}/` among the files of its output repo. Pure. Spec,
 * listRunCheckpoints.
 */
import type { RepoFileEntry } from '../../files/file-entry.ts'

export interface RunCheckpoint {
  readonly step: number
  /** The directory, without a trailing slash. */
  readonly path: string
  readonly files: readonly RepoFileEntry[]
  readonly bytes: number
  /** When the step's last file landed. */
  readonly publishedAt: string | null
}

/** Path prefix of every checkpoint file. */
export const CHECKPOINT_PREFIX = 'checkpoints/step_'

/** PostgreSQL regular expression for the paths of one step's files, with any zero padding of the step number. */
export const filesOfStep = (step: number) => `^${CHECKPOINT_PREFIX}0*${step}/.`

/** Every number of up to 15 digits is a safe integer. */
const checkpointFile = /^(checkpoints\/step_(\d{1,15}))\/./

/** The checkpoints among these files, oldest step first; files in the order given. */
export function checkpointsOf(files: readonly RepoFileEntry[]): RunCheckpoint[] {
  const placed = files.flatMap((file) => {
    const [, path, step] = checkpointFile.exec(file.path) ?? []
    return path === undefined ? [] : [{ path, step: Number(step), file }]
  })
  const directories = Map.groupBy(placed, ({ path }) => path)
  const checkpoints = [...directories].map(([path, members]): RunCheckpoint => {
    const own = members.map(({ file }) => file)
    return {
      step: members[0]?.step ?? 0,
      path,
      files: own,
      bytes: own.reduce((sum, { size }) => sum + size, 0),
      publishedAt: own.reduce<string | null>((last, { updatedAt }) => later(last, updatedAt), null),
    }
  })
  return checkpoints.sort((a, b) => a.step - b.step || (a.path < b.path ? -1 : 1))
}

/** RFC 3339 in UTC with milliseconds sorts as text. */
const later = (a: string | null, b: string) => (a !== null && a > b ? a : b)
