/** The rule on writing a repo as a question, for reads that tell writers more. */
import type { Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { assertMayWriteRepo } from './policy.ts'

/** Whether `assertMayWriteRepo` lets the viewer write the repo. */
export function mayWriteRepo(viewer: Viewer, repo: Parameters<typeof assertMayWriteRepo>[1]): boolean {
  try {
    assertMayWriteRepo(viewer, repo)
    return true
  } catch (error) {
    if (error instanceof HubError) return false
    throw error
  }
}
