/**
 * Why a check cannot be published at the moment. Pure. Used by publishing and by every response that shows a check.
 * Spec, "POST /v1/robot-checks/{check_id}/publish".
 */
import type { PlainErrorType } from '../platform/errors.ts'
import type { JobStatus } from '../work/job-state.ts'

/** The facts of a check that decide whether it can be published. */
export interface PublishFacts {
  readonly status: JobStatus
  readonly published: boolean
  /** `ok` of the validation report; null if the check has none. */
  readonly reportOk: boolean | null
  /** Fields of the draft that block until a person has answered them. */
  readonly blockingFields: readonly string[]
  readonly kind: 'robot' | 'model'
  /** Whether the robot repo of the check is gone; false for a check without one. */
  readonly robotGone: boolean
  /** Whether the model repo of the check is gone; false for a check without one. */
  readonly modelGone: boolean
  /** Whether the check has a card: a robot check needs one, a model check has none. */
  readonly hasCard: boolean
  /** Snapshotted files that their repo has replaced or lost since, up to 20. */
  readonly changedFiles: readonly string[]
}

export interface PublishBlocker {
  readonly type: PlainErrorType
  readonly detail: string
  /** The files or fields that cause the blocker. */
  readonly names: readonly string[]
}

const conflict = (type: PlainErrorType, detail: string, names: readonly string[] = []): PublishBlocker => ({
  type,
  detail,
  names,
})

/**
 * All blockers, the most important one first. A check that did not succeed has only that blocker, since nothing else is
 * known about it.
 */
export function publishBlockers(check: PublishFacts): PublishBlocker[] {
  if (check.status !== 'succeeded')
    return [
      conflict('conflict.not_succeeded', `The check is ${check.status}: only a check that succeeded can be published.`),
    ]
  if (check.published) return [conflict('conflict.already_published', 'The check is published already.')]
  const found: PublishBlocker[] = []
  if (check.robotGone) found.push(conflict('conflict.repo_gone', 'The robot repo was deleted.'))
  if (check.modelGone) found.push(conflict('conflict.repo_gone', 'The model repo of the check was deleted.'))
  if (check.reportOk === null) found.push(conflict('conflict.report_failed', 'The check reported no validation.'))
  if (check.reportOk === false) found.push(conflict('conflict.report_failed', 'A check of its report failed.'))
  if (check.blockingFields.length > 0) {
    const fields = check.blockingFields.join(', ')
    const detail = `The draft needs a person's answer: ${fields}.`
    found.push(conflict('conflict.needs_answers', detail, check.blockingFields))
  }
  if (check.kind === 'robot' && !check.hasCard)
    found.push(conflict('conflict.card_missing', 'The check has no robot_card.json.'))
  const sourceGone = check.kind === 'robot' ? check.robotGone : check.modelGone
  if (check.changedFiles.length > 0 && !sourceGone) {
    const files = check.changedFiles.map((path) => JSON.stringify(path)).join(', ')
    const detail = `Files changed since the check was queued: ${files}.`
    found.push(conflict('conflict.source_changed', detail, check.changedFiles))
  }
  return found
}
