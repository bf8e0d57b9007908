/** The states of an approval and what moves it, as one table. Pure. Contract, "Approvals". */
import { HubError } from '../../platform/errors.ts'
import { nextState, type Transition } from '../../work/job-state.ts'

export const approvalStatuses = ['issued', 'running', 'expired', 'revoked'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** `open` is a session under it, `revoke` a person, `expire` the hub. */
export type ApprovalTrigger = 'open' | 'revoke' | 'expire'

export interface ApprovalFacts {
  readonly status: ApprovalStatus
  /** Past its expiry, by the database's clock. */
  readonly isOver: boolean
}

const live = ({ isOver }: ApprovalFacts) => !isOver
const over = ({ isOver }: ApprovalFacts) => isOver
const always = () => true

export const approvalTransitions: readonly Transition<ApprovalTrigger, ApprovalFacts>[] = [
  { trigger: 'open', from: 'issued', when: live, to: 'running' },
  { trigger: 'open', from: 'running', when: live, to: 'running' },
  { trigger: 'revoke', from: 'issued', when: live, to: 'revoked' },
  { trigger: 'revoke', from: 'running', when: live, to: 'revoked' },
  { trigger: 'revoke', from: 'revoked', when: always, to: 'revoked' },
  { trigger: 'expire', from: 'issued', when: over, to: 'expired' },
  { trigger: 'expire', from: 'running', when: over, to: 'expired' },
]

/** Where `trigger` leads an approval of these facts; null where nowhere. */
export function nextApproval(trigger: ApprovalTrigger, facts: ApprovalFacts): ApprovalStatus | null {
  return nextState(approvalTransitions, trigger, facts)
}

/** What an approval is to a reader: one past its expiry has expired, whether or not the sweep has come by. */
export function shownStatus({ status, isOver }: ApprovalFacts): ApprovalStatus {
  return nextApproval('expire', { status, isOver }) ?? status
}

/** The error of revoking an approval that has expired. */
export function approvalEnded(): HubError {
  return new HubError('conflict.terminal', 'The approval has expired: there is nothing to revoke.')
}
