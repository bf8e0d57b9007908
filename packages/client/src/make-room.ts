/** A path is a file or a folder, in a repo as on a disk: what of the repo is in the way of what a push sends. */
import { clashesBetween } from '@hub/text/file-path'
import { LocalError } from './problem.ts'
import type { PushPlan } from './push-plan.ts'

/** Named in one message. */
const MOST_FAULTS = 20

/**
 * The files of the repo that must go before the plan can be sent: where the folder has a folder, or files below where
 * it has a file. Of `extra` alone: the push may delete no others. Rejects with `LocalError` if another one is in the
 * way.
 */
export function inTheWay({ send, onlyRemote }: PushPlan, extra: readonly string[]): string[] {
  const sent = send.map(({ path }) => path)
  const clashes = clashesBetween(onlyRemote, sent)
  const mayGo = new Set(extra)
  const staying = clashes.filter(({ path }) => !mayGo.has(path))
  if (staying.length === 0) return clashes.map(({ path }) => path)
  const faults = staying.slice(0, MOST_FAULTS).map(({ path, other }) => {
    const [there, here] = [JSON.stringify(path), JSON.stringify(other)]
    return other.startsWith(`${path}/`)
      ? `${there} is a file in the repo, and a folder here, with ${here}`
      : `${here} is a file here, and a folder in the repo, with ${there}`
  })
  if (staying.length > MOST_FAULTS) faults.push(`and ${staying.length - MOST_FAULTS} more`)
  throw new LocalError(
    'The repo has files in the way of what would be sent; nothing was sent. --delete removes those that no rule ' +
      'of the folder leaves out; or delete them in the repo, or exclude what is here.',
    faults,
  )
}
