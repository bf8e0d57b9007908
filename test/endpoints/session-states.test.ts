import { expect, it } from 'vitest'
import {
  type ApprovalFacts,
  approvalStatuses,
  nextApproval,
  shownStatus,
} from '../../src/endpoints/approvals/approval-state.ts'
import { nextSession, type SessionTrigger, sessionStatuses } from '../../src/endpoints/sessions/session-state.ts'

const facts = (status: ApprovalFacts['status'], isOver: boolean): ApprovalFacts => ({ status, isOver })

it.each([
  // trigger, then where issued, running, expired and revoked go: live, and past its expiry
  ['open', ['running', 'running', null, null], [null, null, null, null]],
  ['revoke', ['revoked', 'revoked', null, 'revoked'], [null, null, null, 'revoked']],
  ['expire', [null, null, null, null], ['expired', 'expired', null, null]],
] as const)('an approval: %s', (trigger, live, over) => {
  expect(approvalStatuses.map((status) => nextApproval(trigger, facts(status, false)))).toEqual(live)
  expect(approvalStatuses.map((status) => nextApproval(trigger, facts(status, true)))).toEqual(over)
})

it('an approval past its expiry reads as expired, a revoked one as revoked', () => {
  expect(approvalStatuses.map((status) => shownStatus(facts(status, true)))).toEqual([
    'expired',
    'expired',
    'expired',
    'revoked',
  ])
  expect(approvalStatuses.map((status) => shownStatus(facts(status, false)))).toEqual(approvalStatuses)
})

const ends: Record<SessionTrigger, string> = {
  report: 'open',
  serve: 'open',
  close: 'closed',
  drop: 'closed',
  end: 'closed',
  expire: 'closed',
  revoke: 'closed',
}
it.each(Object.entries(ends) as [SessionTrigger, string][])(
  'a session: %s leads an open one to %s, and is refused by a closed one',
  (trigger, to) => {
    const [open, closed] = sessionStatuses
    expect(nextSession(trigger, { status: open })).toBe(to)
    expect(() => nextSession(trigger, { status: closed })).toThrow(
      expect.objectContaining({ type: 'conflict.session_closed' }),
    )
  },
)
