import { print } from 'graphql'
import { describe, expect, it } from 'vitest'
import { resumable, waitMs } from '../../web/src/app/resume.ts'
import { checkLogLinesSubscription } from '../../web/src/pages/checks/checks.graphql.ts'
import { runChangedSubscription, runLogLinesSubscription } from '../../web/src/pages/runs/run.graphql.ts'

describe('a subscription of a page whose connection breaks', () => {
  it.each([runLogLinesSubscription, checkLogLinesSubscription])('goes on after the last line of a log', (document) => {
    const { request, heard } = resumable(print(document), { id: 'x' })
    expect(request.variables).toEqual({ id: 'x' })
    heard({ data: { log: { cursor: 'c1', events: [] } } })
    heard({ data: { log: { cursor: 'c2' } } })
    heard({ data: null })
    expect(request.variables).toEqual({ id: 'x', after: 'c2' })
  })

  it('is asked for as before where it begins with its state', () => {
    const { request, heard } = resumable(print(runChangedSubscription), { id: 'x' })
    heard({ data: { runUpdated: { cursor: 'c1' } } })
    expect(request.variables).toEqual({ id: 'x' })
  })

  it('keeps the variables of the page as they were', () => {
    const variables = { id: 'x' }
    resumable(print(runLogLinesSubscription), variables).heard({ data: { runLog: { cursor: 'c1' } } })
    expect(variables).toEqual({ id: 'x' })
  })

  it('waits longer each time, never more than half a minute', () => {
    expect([0, 1, 2, 4, 5, 1000].map((retries) => waitMs(retries, 1))).toEqual([
      1000, 2000, 4000, 16_000, 30_000, 30_000,
    ])
    expect(waitMs(0, 0)).toBe(500)
  })
})
