/** While n sessions have a link, each second of each counts a n-th. Spec, "EndpointSessionState". */
import { describe, expect, it } from 'vitest'
import { openSessionBook } from '../src/links/session-book.ts'

function book() {
  let clockMs = 0
  let nowMs = 1_000_000
  const opened = openSessionBook(
    () => nowMs,
    undefined,
    () => clockMs,
  )
  return {
    ...opened,
    pass(seconds: number) {
      clockMs += seconds * 1000
      nowMs += seconds * 1000
    },
    jump(seconds: number) {
      nowMs += seconds * 1000
    },
    of: (id: string) => opened.states().find(({ session_id: one }) => one === id),
  }
}

describe('the time of a session', () => {
  it('is shared with the others that have a link at the time, interval by interval', () => {
    const { link, unlink, pass, of } = book()
    link('a', 9e9)
    pass(1)
    link('b', 9e9)
    pass(2)
    link('c', 9e9)
    pass(3)
    unlink('a')
    pass(4)
    expect([of('a'), of('b'), of('c')].map((state) => state?.gpu_seconds)).toEqual([1 + 1 + 1, 1 + 1 + 2, 1 + 2])
  })

  it('ends when it is closed, and does not follow the clock of the day', () => {
    const { link, close, pass, jump, of } = book()
    link('a', 9e9)
    pass(1)
    jump(3_600)
    jump(-7_200)
    close('a', 'closed')
    pass(5)
    expect(of('a')).toMatchObject({ state: 'closed', closed_reason: 'closed', gpu_seconds: 1 })
  })
})

describe('service times', () => {
  it('are percentiles of the last 1,000', () => {
    const { link, served, of } = book()
    link('a', 9e9)
    expect(of('a')).toMatchObject({ service_ms_p50: null, service_ms_p95: null })
    for (let ms = 1; ms <= 1_500; ms += 1) served('a', ms)
    expect(of('a')).toMatchObject({ chunks_served: 1_500, service_ms_p50: 1_000, service_ms_p95: 1_450 })
  })
})

describe('a closed session', () => {
  it('is told until the hub has heard it, and is refused until its token has expired', () => {
    const { link, close, isClosed, states, told, pass, stored } = book()
    link('a', 1_000_000 + 60_000)
    close('a', 'expired')
    close('a', 'stopped')
    expect(states()).toMatchObject([{ state: 'closed', closed_reason: 'expired' }])
    expect(states()).toHaveLength(1)
    told(states())
    expect(states()).toEqual([])
    const again = openSessionBook(() => 1_000_000, stored())
    expect([isClosed('a'), again.isClosed('a')]).toEqual([true, true])
    pass(61)
    states()
    expect(isClosed('a')).toBe(false)
  })
})
