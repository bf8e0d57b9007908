/** The local folder of a check. It is removed when the check has ended. */
import { join } from 'node:path'

export type CheckFiles = ReturnType<typeof checkFiles>

/** Paths of one check in the work folder. */
export function checkFiles(workDir: string, checkId: string) {
  const root = join(workDir, checkId)
  return {
    root,
    lock: join(root, 'lock'),
    journal: join(root, 'journal.json'),
    /** The claim's answer, without its signed URLs. */
    check: join(root, 'check.json'),
    log: join(root, 'check.log'),
    sources: join(root, 'sources'),
    /** A policy of another hub. */
    fetched: join(root, 'fetched'),
    artifacts: join(root, 'artifacts'),
    verdict: join(root, 'verdict.json'),
    /** The last report, as it was first sent. */
    ending: join(root, 'ending.json'),
  }
}
