import { describe, expect, it } from 'vitest'
import { gpuHourRefusal, type Reservation } from '../../src/billing/gpu-hours.ts'
import { shownNumbers } from '../support/shown-numbers.ts'

const made = (hours: number, ageS: number, byThisKey = false): Reservation => ({ hours, ageS, byThisKey })
const ask = (hours: number, reservations: readonly Reservation[] = [], keyLimitHours: number | null = null) =>
  gpuHourRefusal({ hours, reservations, limitHours: 24, keyLimitHours })

describe('the daily quota of GPU hours', () => {
  it.each([
    ['a run as long as the quota', 24, []],
    ['the last hour', 1, [made(23, 100)]],
    ['ten times a tenth beside the rest', 23, Array.from({ length: 10 }, () => made(0.1, 5))],
  ])('has room for %s', (_, hours, reservations) => {
    expect(ask(hours, reservations)).toBeNull()
  })

  it('says its numbers, and when there is room again', () => {
    const error = ask(4, [made(4, 80_000), made(12, 50_000), made(6.5, 100)])
    expect([error?.status, error?.type]).toEqual([429, 'quota.gpu_hours'])
    expect(shownNumbers(error)).toEqual({
      headers: { 'Retry-After': '6400', 'X-GPU-Quota-Limit': '24', 'X-GPU-Quota-Used': '22.5' },
      members: { unit: 'gpu_hours', limit: 24, used: 22.5, left: 1.5, retry_after_s: 6400 },
    })
    expect(error?.message).toContain(
      'is 24 GPU hours; priced runs of the last 24 hours reserve 22.5, and this one asks for 4',
    )
  })

  it('waits for as many of the oldest as it takes', () => {
    const { members } = shownNumbers(ask(20, [made(12, 50_000), made(4, 80_000), made(6.5, 100)]))
    expect(members.retry_after_s).toBe(86_300)
  })

  it('has never room for a run that is longer than itself', () => {
    expect(shownNumbers(ask(24.5)).members).toMatchObject({ retry_after_s: 86_400, used: 0 })
  })

  it('waits at least a second', () => {
    expect(shownNumbers(ask(24, [made(1, 86_399.9)])).headers['Retry-After']).toBe('1')
  })
})

describe("a key's own quota", () => {
  it('narrows the other for what the key made', () => {
    const reservations = [made(3, 1000, true), made(10, 2000)]
    expect(ask(2, reservations, 5)).toBeNull()
    expect(shownNumbers(ask(2.5, reservations, 5)).members).toMatchObject({ limit: 5, used: 3, left: 2 })
  })

  it('never widens it', () => {
    expect(shownNumbers(ask(4, [made(21, 5)], 100)).members).toMatchObject({ limit: 24, used: 21 })
  })

  it('of nothing lets nothing through', () => {
    expect(shownNumbers(ask(0.5, [], 0)).members).toMatchObject({ limit: 0, left: 0 })
  })

  it('is told without the noise of binary sums', () => {
    const { headers, members } = shownNumbers(ask(24, [made(0.1, 5), made(0.2, 5)]))
    expect([headers['X-GPU-Quota-Used'], members.used, members.left]).toEqual(['0.3', 0.3, 23.7])
  })
})
