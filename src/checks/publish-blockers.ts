/** Why a check would not be published now. Pure: publishing and every answer that shows a check ask it. Spec, "POST /v1/robot-checks/{check_id}/publish". */
import type { ErrorType } from '../platform/errors.ts'
import type { JobStatus } from '../work/job-status.ts'

/** What of a check decides. */
export interface PublishFacts {
  readonly status: JobStatus
  readonly published: boolean
  /** Of the report; null where none was reported. */
  readonly reportOk: boolean | null
  /** Fields of the draft that block until a person has answered them. */
  readonly blockingFields: readonly string[]
  readonly kind: 'robot' | 'model'
  /** Whether the robot repo of the check is gone; false for a check without one. */
  readonly robotGone: boolean
  /** The same of the model repo. */
  readonly modelGone: boolean
  /** A robot check gives the robot its card; a model check has none. */
  readonly hasCard: boolean
  /** Snapshotted files that their repo has replaced or lost since, up to 20. */
  readonly changedFiles: readonly string[]
}

export interface PublishBlocker {
  readonly type: ErrorType
  readonly detail: string
  /** Files or fields that it is about. */
  readonly names: readonly string[]
}

const conflict = (type: ErrorType, detail: string, names: readonly string[] = []): PublishBlocker => ({
  type,
  detail,
  names,
})

/** All of them, the one that a person has to see first in front. A check that did not succeed has no others: nothing else is known of it. */
export function publishBlockers(check: PublishFacts): PublishBlocker[] {
  if (check.status !== 'succeeded')
    return [conflict('conflict.not_succeeded', `The check is ${check.status}: only one that succeeded is published.`)]
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
    found.push(conflict('conflict.card_missing', 'The check made no robot_card.json.'))
  const sourceGone = check.kind === 'robot' ? check.robotGone : check.modelGone
  if (check.changedFiles.length > 0 && !sourceGone) {
    const files = check.changedFiles.map((path) => JSON.stringify(path)).join(', ')
    const detail = `Files changed since the check was queued: ${files}.`
    found.push(conflict('conflict.source_changed', detail, check.changedFiles))
  }
  return found
}
