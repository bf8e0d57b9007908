import { describe, expect, it } from 'vitest'
import {
  costOfHours,
  costOfSeconds,
  mostOfHours,
  mostOfSeconds,
  usd,
  usdLess,
  usdLimit,
  usdSum,
} from '../../src/platform/money.ts'

describe('money', () => {
  it.each([
    [1, '1.0000'],
    [0.1, '0.1000'],
    ['3.9492', '3.9492'],
    [1e-7, '0.0000'],
    [0.00005, '0.0001'],
    ['0.00004999', '0.0000'],
    [-0.00005, '-0.0001'],
    ['-0.00015', '-0.0002'],
    [1e21, '1000000000000000000000.0000'],
    ['12.345e1', '123.4500'],
    ['-0.00004', '0.0000'],
    ['0.'.padEnd(202, '3'), '0.3333'],
  ])('%s is %s', (value, text) => {
    expect(usd(value)).toBe(text)
  })

  it('is no word and no infinity', () => {
    expect(() => usd('1,5')).toThrow()
    expect(() => usd(Number.POSITIVE_INFINITY)).toThrow()
    for (const text of ['', '0x10', '0b1', 'NaN', 'Infinity', '-Infinity', ' 1', '1_000'])
      expect(() => usd(text), text).toThrow()
  })

  it('sums where binary floats drift', () => {
    expect(usdSum(...Array.from({ length: 1000 }, () => '0.1000'))).toBe('100.0000')
    expect(usdSum('1.9512', '0.3500')).toBe('2.3012')
    expect(usdSum()).toBe('0.0000')
  })

  it.each([
    ['0.7992', 4, '3.1968'],
    ['2.3012', 0.1, '0.2301'],
    ['3.9492', 720, '2843.4240'],
    ['0.0000', 4, '0.0000'],
    ['0.5000', 0.0003, '0.0002'],
  ])('%s an hour for %s hours is %s', (rate, hours, cost) => {
    expect(costOfHours(rate, hours)).toBe(cost)
  })

  it.each([
    ['3.6000', 1, '0.0010'],
    ['0.7992', 3600, '0.7992'],
    ['0.7992', '1800.5', '0.3997'],
    ['1.0000', 0.18, '0.0001'],
    ['1.0000', 0.17999, '0.0000'],
    // 0.00004999… and 0.00005: a half that a division cut too early would round up.
    ['0.0001', '1799.99999999999999999999999999999999999999', '0.0000'],
    ['0.0001', '1800', '0.0001'],
    ['99999999.9999', '1e9', '27777777777750.0000'],
  ])('%s an hour for %s seconds is %s', (rate, seconds, cost) => {
    expect(costOfSeconds(rate, seconds)).toBe(cost)
  })

  it.each([
    ['0.7992', 4, '3.1968'],
    ['2.3012', 0.1, '0.2302'],
    ['0.0000', 4, '0.0000'],
    ['0.0001', 1e-9, '0.0001'],
    ['0.7992', 1 / 60, '0.0134'],
  ])('%s an hour for %s hours is at most %s: rounded up', (rate, hours, most) => {
    expect(mostOfHours(rate, hours)).toBe(most)
  })

  it.each([
    ['0.7992', 3600, '0.7992'],
    ['3.6000', 1, '0.0010'],
    ['1.0000', 0.17999, '0.0001'],
    ['0.0001', '0.001', '0.0001'],
    ['0.0000', 3600, '0.0000'],
  ])('%s an hour for %s seconds is at most %s: rounded up', (rate, seconds, most) => {
    expect(mostOfSeconds(rate, seconds)).toBe(most)
  })

  it.each([
    [0.00019, '0.0001'],
    ['1.5', '1.5000'],
    ['2.99999', '2.9999'],
    [-0.00001, '-0.0001'],
  ])('%s as a limit is %s: rounded down', (value, text) => {
    expect(usdLimit(value)).toBe(text)
  })

  it('compares amounts, not texts', () => {
    expect(usdLess('9.0000', '10.0000')).toBe('9.0000')
    expect(usdLess('10.0000', '9.0000')).toBe('9.0000')
    expect(usdLess('9', '9.0000')).toBe('9')
  })
})
