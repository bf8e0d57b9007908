/** How `followChanges` follows the list of an account's checks. A check is never deleted. */
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import type { RobotCheck } from '../check-shape.ts'
import { getChecksById } from './get-check.ts'

export const changedChecks: ChangedList<RobotCheck> = { kind: 'robot_check', wokenBy: 'check', byId: getChecksById }
