/** A validation report that contradicts itself. Pure. Spec, `RobotValidationReport`: `ok` is true when no check failed. */
import { isJsonObject } from '../../platform/exact-json.ts'
import type { Document } from '../check-shape.ts'

/** Why a report that claims to be good is not; null for any other. Publishing trusts `ok`, so it has to agree with the checks beside it. */
export function contradictionIn({ ok, grade, checks }: Document): string | null {
  if (ok !== true) return null
  const failed = (Array.isArray(checks) ? checks : []).find((check) => isJsonObject(check) && check.status === 'fail')
  if (failed) return `is true although the check ${JSON.stringify(failed.code)} failed`
  return grade === 'fail' ? 'is true although the grade is fail' : null
}
