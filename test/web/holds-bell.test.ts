/** What the bell at the top says. */
import { expect, it } from 'vitest'
import { waitingOf } from '../../web/src/pages/holds/waiting.ts'

const holds = (accounts: readonly string[], hasNextPage = false) => ({
  nodes: accounts.map((id, at) => ({ id: `spend_${at}`, account: { id } })),
  pageInfo: { hasNextPage },
})

it('counts what this person may decide, and nothing of other accounts', () => {
  expect(waitingOf(holds(['user_a', 'org_b', 'org_elsewhere']), ['user_a', 'org_b'])).toEqual({
    count: 2,
    badge: '2',
    label: 'Approvals: 2 to decide',
  })
  expect(waitingOf(holds(['org_elsewhere'], true), ['user_a'])).toEqual({
    count: 0,
    badge: '',
    label: 'Approvals: none to decide',
  })
})

it('says where there are more than it has read', () => {
  expect(waitingOf(holds(Array(10).fill('user_a'), true), ['user_a'])).toEqual({
    count: 10,
    badge: '10+',
    label: 'Approvals: 10+ to decide',
  })
})
