import { describe, expect, it } from 'vitest'
import { ago, bytes, claimer, count, counted, duration, money, rounded, words } from '../../../web/src/ui/format.ts'

describe('what people read', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KB'],
    [99_949, '99.9 KB'],
    [99_960, '100 KB'],
    [999_999, '1.0 MB'],
    [1_500_000, '1.5 MB'],
    [123_456_789, '123 MB'],
    [2e15, '2.0 PB'],
    [5e18, '5000 PB'],
  ])('of %d bytes is %s', (size, text) => expect(bytes(size)).toBe(text))

  it.each([
    ['12.5', '$12.50'],
    ['0', '$0.00'],
    ['0.0123', '$0.0123'],
    ['0.00004', 'under $0.0001'],
    ['-3', '-$3.00'],
    ['-0.5', '-$0.50'],
    ['1234567.891', '$1,234,567.89'],
    [null, '–'],
    [undefined, '–'],
  ])('of the amount %s is %s', (amount, text) => expect(money(amount)).toBe(text))

  it.each([
    [-5, '0 s'],
    [0.4, '0 s'],
    [59.4, '59 s'],
    [59.6, '1 min 0 s'],
    [60, '1 min 0 s'],
    [119.7, '2 min 0 s'],
    [3599.9, '1 h 0 min'],
    [3723, '1 h 2 min'],
    [172_799.4, '47 h 59 min'],
    [172_800, '2 d 0 h'],
    [277_200, '3 d 5 h'],
  ])('of %d seconds is %s', (seconds, text) => expect(duration(seconds)).toBe(text))

  it.each([
    ['2026-05-01T12:00:00Z', 'just now'],
    ['2026-05-01T11:59:01Z', 'just now'],
    ['2026-05-01T11:58:00Z', '2 minutes ago'],
    ['2026-05-01T14:00:00Z', 'in 2 hours'],
    ['2026-04-30T12:00:00Z', 'yesterday'],
    ['2020-05-01T12:00:00Z', '6 years ago'],
  ])('of the time %s at noon of May 1 is %s', (time, text) =>
    expect(ago(time, Date.parse('2026-05-01T12:00:00Z'))).toBe(text),
  )

  it.each([
    ['bench-3', 'WORKER', 'bench-3'],
    [null, 'WORKER', 'none yet'],
    [null, 'HOSTED', 'the hub'],
    ['pod-7', 'HOSTED', 'pod-7'],
  ] as const)('of a job that %s claimed and %s executes is %s', (claimedBy, executor, text) =>
    expect(claimer({ claimedBy, executor })).toBe(text),
  )

  it.each([
    [1.5625182385837828, '1.563'],
    [0.000012364, '0.00001236'],
    [32, '32'],
    [12_345.6, '12,350'],
    [999_960_000_000_000, '1,000,000,000,000,000'],
    [-1.23456e300, '-1.235e+300'],
    [5e-324, '5e-324'],
    [0, '0'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ])('of a measured %d is %s', (value, text) => expect(rounded(value)).toBe(text))

  it('of counts has commas, and of a constant its words', () => {
    expect([count(0), count(1_234_567), words('QUEUED_FOR_WORK')]).toEqual(['0', '1,234,567', 'queued for work'])
    expect([counted(1, 'session'), counted(0, 'file'), counted(2000, 'file')]).toEqual([
      '1 session',
      '0 files',
      '2,000 files',
    ])
  })
})
