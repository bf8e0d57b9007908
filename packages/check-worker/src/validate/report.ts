/**
 * The validate step: static checks and those of the simulation as one report, in the names of `/v1`. Spec,
 * "RobotValidationReport". Pure.
 */

import type { ModelReading } from '@hub/mjcf/reading'
import { type Check, type CheckStatus, gradeOf } from '@hub/mjcf/verdict/check'
import { modelSummary, type RobotModelSummary } from '@hub/mjcf/verdict/model-checks'
import { interfaceFingerprint } from '@hub/robot-card/fingerprint'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'

export interface CheckReport {
  readonly ok: boolean
  readonly grade: CheckStatus
  /** The draft of this check, not a stored card. */
  readonly source: 'draft'
  /** Of which engine the `sim.*` checks are. */
  readonly engine: string
  readonly mjcf_path: string | null
  /** Of the draft as it would be published; null while it lacks what an interface requires. */
  readonly interface_fingerprint: string | null
  readonly model: RobotModelSummary | null
  readonly checks: readonly Check[]
}

/** `face`: the interface of a draft that the schema of a card takes. */
export function checkReport(
  checks: readonly Check[],
  engine: string,
  reading: ModelReading,
  face: EmbodimentInterface | null | undefined,
): CheckReport {
  const isThere = checks.some(({ code, status }) => code === 'mjcf.exists' && status === 'pass')
  return {
    ok: checks.every(({ status }) => status !== 'fail'),
    grade: gradeOf(checks),
    source: 'draft',
    engine,
    mjcf_path: reading.entry,
    interface_fingerprint: interfaceFingerprint(face),
    model: isThere ? modelSummary(reading) : null,
    checks,
  }
}
