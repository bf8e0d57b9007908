/** What sessions cost: exact, in order, and never more than was reserved or than the hub's own clock counts. */
import { describe, expect, it } from 'vitest'
import { sizeOf, vramBytesOf } from '../../src/endpoints/create/sizing.ts'
import { accruedUsd, type BilledEndpoint, billOf, ceilingUsd } from '../../src/endpoints/end/bill.ts'
import {
  assertKnown,
  replacedSessions,
  type StoredSession,
  secondsText,
} from '../../src/endpoints/report/judge-report.ts'
import { usdSum } from '../../src/platform/money.ts'
import { defaultTiers } from '../../src/platform/tier-table.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

const running = (change: Partial<BilledEndpoint> = {}): BilledEndpoint => ({
  rateUsdPerHour: '3.6000',
  claimedAt: at(0),
  cancelRequestedAt: null,
  deadlineAt: null,
  finishedAt: null,
  reservedUsd: null,
  ...change,
})

describe('the bill of an endpoint', () => {
  it('is the GPU time of each session at the rate, rounded once to four decimals', () => {
    expect(billOf('0.7992', ['3600.000', '1.000', '0.225', '0.000'], '9.0000')).toEqual({
      amounts: ['0.7992', '0.0002', '0.0000', '0.0000'],
      totalUsd: '0.7994',
    })
    // Half a ten-thousandth rounds away from zero, as PostgreSQL does.
    expect(billOf('3.6000', ['0.050', '0.049'], '9.0000').amounts).toEqual(['0.0001', '0.0000'])
  })

  it('is 0 on a worker', () => {
    expect(billOf(null, ['3600.000'], '0.0000')).toEqual({ amounts: ['0.0000'], totalUsd: '0.0000' })
  })

  it('is cut in the order of sessions where it would pass the ceiling, and its total is what is shown before', () => {
    const seconds = ['10.000', '10.000', '10.000']
    for (const ceiling of ['0.0000', '0.0099', '0.0150', '0.0200', '0.0299', '0.0300', '1.0000']) {
      const { amounts, totalUsd } = billOf('3.6000', seconds, ceiling)
      expect(usdSum(...amounts)).toBe(totalUsd)
      expect(accruedUsd('0.0300', ceiling)).toBe(totalUsd)
    }
    expect(billOf('3.6000', seconds, '0.0150').amounts).toEqual(['0.0100', '0.0050', '0.0000'])
  })

  it('has a ceiling: the time since the claim, to a minute after a stop and to the deadline, and what is reserved', () => {
    expect(ceilingUsd(running(), at(100))).toBe('0.1000')
    expect(ceilingUsd(running({ claimedAt: null }), at(100))).toBe('0.0000')
    expect(ceilingUsd(running({ cancelRequestedAt: at(10) }), at(1000))).toBe('0.0700')
    expect(ceilingUsd(running({ deadlineAt: at(30) }), at(1000))).toBe('0.0300')
    expect(ceilingUsd(running({ finishedAt: at(20) }), at(1000))).toBe('0.0200')
    expect(ceilingUsd(running({ reservedUsd: '0.0123' }), at(1000))).toBe('0.0123')
    expect(ceilingUsd(running({ rateUsdPerHour: null }), at(1000))).toBe('0.0000')
  })
})

const stored = (id: string, change: Partial<StoredSession> = {}): StoredSession => ({
  id,
  status: 'open',
  chunksServed: 0,
  gpuMs: 0,
  ...change,
})

describe('the sessions of a report', () => {
  it('replace what is stored: what is left out is 0 or null', () => {
    const [kept] = replacedSessions([{ sessionId: 'a' }], [stored('a', { chunksServed: 9, gpuMs: 4000 })], {
      elapsedMs: 10_000,
      totalMs: 4000,
    })
    expect(kept).toEqual({
      id: 'a',
      closes: false,
      chunksServed: 0,
      gpuMs: 0,
      serviceMsP50: null,
      serviceMsP95: null,
      closedReason: null,
    })
  })

  it('never have more GPU time together than the hub counts since the claim: cut in the order of sessions, beside those not named', () => {
    const of = (
      reported: Record<string, number>,
      given: readonly StoredSession[],
      elapsedMs: number,
      totalMs: number,
    ) =>
      Object.fromEntries(
        replacedSessions(
          Object.entries(reported).map(([sessionId, gpuSeconds]) => ({ sessionId, gpuSeconds })),
          given,
          { elapsedMs, totalMs },
        ).map(({ id, gpuMs }) => [id, gpuMs]),
      )
    const three = [stored('a'), stored('b'), stored('c')]
    expect(of({ c: 5, b: 5, a: 5 }, three, 12_000, 0)).toEqual({ a: 5000, b: 5000, c: 2000 })
    expect(of({ a: 1e9, b: 1 }, three.slice(0, 2), 12_000, 0)).toEqual({ a: 12_000, b: 0 })
    // 7 s are of sessions that the report does not name; what it names had 2 s.
    expect(of({ a: 9 }, [stored('a', { gpuMs: 2000 })], 12_000, 9000)).toEqual({ a: 5000 })
    expect(of({ a: 9 }, [stored('a')], 1000, 5000)).toEqual({ a: 0 })
    expect(of({ a: 0.0004, b: 0.0005 }, three.slice(0, 2), 1000, 0)).toEqual({ a: 0, b: 1 })
  })

  it('close an open one; a closed one takes its last numbers and stays as it was closed', () => {
    const closed = { state: 'closed', closedReason: 'gone', chunksServed: 3 } as const
    const all = replacedSessions(
      [
        { sessionId: 'a', ...closed },
        { sessionId: 'b', ...closed },
        { sessionId: 'c', chunksServed: 3 },
      ],
      [stored('a'), stored('b', { status: 'closed' }), stored('c', { status: 'closed' })],
      { elapsedMs: 1, totalMs: 0 },
    )
    expect(all.map(({ closes, closedReason, chunksServed }) => [closes, closedReason, chunksServed])).toEqual([
      [true, 'gone', 3],
      [false, null, 3],
      [false, null, 3],
    ])
  })

  it('are of the endpoint, and named once', () => {
    const named = (...ids: string[]) =>
      assertKnown(
        ids.map((sessionId) => ({ sessionId })),
        [stored('a'), stored('b')],
      )
    expect(named('a', 'b')).toBeUndefined()
    expect(() => named('a', 'x', 'a')).toThrow('x is not a session of this endpoint. a is named twice.')
  })

  it.each([
    [0, '0.000'],
    [1, '0.001'],
    [-20, '-0.020'],
    [1_234_567, '1234.567'],
  ])('%i ms are %s', (ms, text) => expect(secondsText(ms)).toBe(text))
})

describe('the size of a model', () => {
  it('is two bytes for a parameter and 20 % more, in whole bytes', () => {
    expect([1, 5, 3_000_000_000, 10 ** 15].map(vramBytesOf)).toEqual([3, 12, 7_200_000_000, 2_400_000_000_000_000])
  })

  it('chooses among the tiers of endpoints, the smallest and then the cheapest first', () => {
    expect([1, 10_000_000_001].map((params) => sizeOf(params, defaultTiers).tier.tier)).toEqual(['l4', 'a100'])
    const without = (...names: string[]) => defaultTiers.filter(({ tier }) => !names.includes(tier))
    expect(sizeOf(1, without('l4')).tier.tier).toBe('a10g')
    expect(sizeOf(15_000_000_000, without('a100')).tier.tier).toBe('h100')
    expect(() => sizeOf(1, without('l4', 'a10g', 'a100', 'h100'))).toThrow('this deployment has none')
  })
})
