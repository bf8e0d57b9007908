/** Which two versions of a model a person wants to compare first. Pure. */

interface Commit {
  readonly commitId: string
}

interface MadeByRun extends Commit {
  readonly run: { readonly displayName: string } | null
}

interface Listed {
  /** The last version of each run, newest first. */
  readonly made: readonly MadeByRun[]
  /** All versions, newest first; 0 is the empty one. */
  readonly commits: readonly (Commit & { readonly seq: number })[]
}

export interface ComparedPair {
  readonly from: string
  readonly to: string
  /** Names of both runs, where the caller sees them. */
  readonly runs: { readonly from: string; readonly to: string } | null
}

/**
 * The last two versions that different runs made: what comes between, such as the checkpoints of one run and an edited
 * README, is not what one wants to know. Else the last two versions with files; null if there are none.
 */
export function versionsToCompare({ made, commits }: Listed): ComparedPair | null {
  const [latest, before] = made
  if (latest && before) {
    const runs = latest.run && before.run && { from: before.run.displayName, to: latest.run.displayName }
    return { from: before.commitId, to: latest.commitId, runs }
  }
  const [to, from] = commits
  return to && from && from.seq > 0 ? { from: from.commitId, to: to.commitId, runs: null } : null
}
