/** A validation report that contradicts itself. Pure. Spec, `RobotValidationReport`: `ok` is true when no check failed. */
import { isJsonObject } from '@hub/formats/exact-json'
import type { Document } from '../check-shape.ts'

/** Why an `ok` of true contradicts the rest of the report; null if it does not. Publishing trusts `ok`, so it must agree with the report's checks. */
export function contradictionIn({ ok, grade, checks }: Document): string | null {
  if (ok !== true) return null
  const failed = (Array.isArray(checks) ? checks : []).find((check) => isJsonObject(check) && check.status === 'fail')
  if (failed) return `is true although the check ${JSON.stringify(failed.code)} failed`
  return grade === 'fail' ? 'is true although the grade is fail' : null
}
