/** Changes of files that never undo unseen what another person did meanwhile. */
import { CallFault, type Change, type Committed, type HubCalls } from '../upload/hub-calls.ts'
import { type FileVersion, markOf } from './file-version.ts'

/** The file, or the folder, is not any more as the person saw it. */
export class ChangedMeanwhile extends Error {
  /** As it is now. */
  readonly now: FileVersion

  constructor(path: string, now: FileVersion) {
    super(`${path} was changed since you opened this page. Close this, look at it again, and decide then.`)
    this.name = 'ChangedMeanwhile'
    this.now = now
  }
}

/** Other files of the repo may change this often while one is saved. */
const ATTEMPTS = 8

/**
 * Commits on the current version, or not at all: `changeFor` is given that version, and rejects where the change is not
 * meant for it. Where the repo changes in between, both are asked again.
 */
export async function commitOnCurrent(
  hub: Pick<HubCalls, 'commit'>,
  current: () => Promise<FileVersion>,
  changeFor: (now: FileVersion) => Change | Promise<Change>,
): Promise<Committed> {
  for (let attempt = 1; ; attempt += 1) {
    const now = await current()
    const change = await changeFor(now)
    try {
      return await hub.commit({ ...change, parentCommit: now.commitId })
    } catch (error) {
      if (!isMoved(error) || attempt === ATTEMPTS) throw error
    }
  }
}

/** The repo is at another commit than the one that was named. */
const isMoved = (error: unknown): boolean => error instanceof CallFault && error.kind === 'precondition.failed'

/** Rejects with `ChangedMeanwhile` unless the file is as it was seen; of a folder, unless the repo is. */
export function assertAsSeen(path: string, seen: FileVersion, now: FileVersion, isFolder = false): void {
  const isSame = isFolder ? now.commitId === seen.commitId : markOf(now.file) === markOf(seen.file)
  if (!isSame) throw new ChangedMeanwhile(path, now)
}
