/** What can be written to: the one branch. */
import type { Call } from '../engine/call.ts'
import { badRequest, missing } from '../engine/refusal.ts'
import { MAIN } from '../repos/find-repo.ts'

/** Refuses a commit to anything but `main`: 404 as for a branch that is not there, 400 for a pull request. */
export function assertMain(call: Call): void {
  if (call.isAsked('create_pr')) throw badRequest('This hub has no pull requests: commit to main.', 'NotSupported')
  const revision = call.param('revision')
  if (revision === MAIN) return
  throw missing('RevisionNotFound', `There is no branch ${revision}: this hub has one, ${MAIN}.`)
}
