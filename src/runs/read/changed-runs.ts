/** How `followChanges` follows the list of an account's runs. */
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { canSeeRun } from '../../auth/policy.ts'
import { getRunsById } from './get-run.ts'
import type { Run } from './run-shape.ts'

export const changedRuns: ChangedList<Run> = {
  kind: 'run',
  wokenBy: 'run',
  byId: getRunsById,
  saw: ({ thingId, createdBy, filedBy, repoIds }, ownerId, viewer) =>
    canSeeRun({ id: thingId, ownerId, createdBy, filedBy: filedBy ?? '', repoIds }, viewer),
}
