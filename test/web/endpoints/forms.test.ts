/** What the forms of endpoints and approvals ask the hub for. */
import { describe, expect, it } from 'vitest'
import { approvalTimes, expiryAfter } from '../../../web/src/pages/endpoints/approval-times.ts'
import { serveRequests } from '../../../web/src/pages/endpoints/serve-input.ts'

const DAY_MS = 86_400_000

describe('the time of an approval', () => {
  it('is counted from now', () => {
    expect(expiryAfter(8, 0)).toBe('1970-01-01T08:00:00.000Z')
  })

  it('is a minute below the most that the hub gives, at its longest', () => {
    const longest = approvalTimes.at(-1)?.hours ?? 0
    expect(Date.parse(expiryAfter(longest, 0))).toBe(90 * DAY_MS - 60_000)
  })
})

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

describe('the form that serves a model', () => {
  it('sends no limit where nothing is filled in', () => {
    const { estimate, create } = serveRequests(
      form({ model: ' ada/act ', name: ' ', hours: '', budget: '', executor: 'WORKER' }),
    )
    expect(estimate).toEqual({ modelRepo: 'ada/act', executor: 'WORKER', budgetUsd: null, params: null, hours: null })
    expect(create).toEqual({
      modelRepo: 'ada/act',
      executor: 'WORKER',
      budgetUsd: null,
      params: null,
      name: null,
      maxHours: null,
    })
  })

  it('estimates what it then creates', () => {
    const fields = {
      model: 'ada/act',
      name: 'bench',
      owner: 'lab',
      hours: '1.5',
      budget: '3',
      params: '7',
      executor: 'HOSTED',
    }
    const { estimate, create } = serveRequests(form(fields))
    const shared = { modelRepo: 'ada/act', executor: 'HOSTED', owner: 'lab', budgetUsd: 3, params: 7 }
    expect([estimate, create]).toEqual([
      { ...shared, hours: 1.5 },
      { ...shared, name: 'bench', maxHours: 1.5 },
    ])
  })
})
