/** Which failed runs are still worth a look. Pure. */

const WEEK_MS = 7 * 86_400_000

interface Ended {
  readonly finishedAt: string | null
  readonly owner: { readonly handle: string }
}

/** Those of the person's accounts that ended in the last seven days. */
export const lately = <Run extends Ended>(runs: readonly Run[], owners: readonly string[], nowMs: number): Run[] =>
  runs.filter(
    ({ finishedAt, owner }) =>
      finishedAt !== null && nowMs - Date.parse(finishedAt) < WEEK_MS && owners.includes(owner.handle),
  )
