/** What the address of the list of runs says. */
import { describe, expect, it } from 'vitest'
import {
  fractionOf,
  MAX_METRICS,
  sortedBy,
  usualColumns,
  viewOf,
  withColumn,
  withMember,
  withMetric,
} from '../../web/src/pages/runs/run-view.ts'

const of = (query: string) => new URLSearchParams(query)

describe('the view of an address', () => {
  it('is newest first, with the usual columns and no filter, where it says nothing', () => {
    const { variables, columns, metrics } = viewOf(of(''))
    expect([columns, metrics]).toEqual([usualColumns, []])
    const { metrics: asked, ...filters } = variables
    expect(asked).toEqual([])
    expect(Object.values(filters).every((value) => value === null)).toBe(true)
  })

  it('has its filters, its order and its columns', () => {
    const view = viewOf(of('q=arm&status=FAILED&tag=a&tag=b&sort=loss&by=BEST&order=DESC&columns=cost,robot&metric=lr'))
    expect(view.variables).toMatchObject({ q: 'arm', status: 'FAILED', tag: ['a', 'b'], project: null })
    expect(view.variables).toMatchObject({ sortMetric: 'loss', sortBy: 'BEST', order: 'DESC', metrics: ['loss', 'lr'] })
    expect([view.columns, view.metrics]).toEqual([
      ['robot', 'cost'],
      ['loss', 'lr'],
    ])
  })

  it('leaves out what is unknown, and an order without a metric, which the hub refuses', () => {
    const { variables, columns } = viewOf(of('status=NO&by=BEST&order=DESC&columns=no,cost'))
    expect(variables).toMatchObject({ status: null, sortBy: null, order: null })
    expect(columns).toEqual(['cost'])
    expect(viewOf(of('sort=loss&by=no&order=no')).variables).toMatchObject({ sortBy: 'LAST', order: null })
    const many = Array.from({ length: 20 }, (_, at) => `metric=k${at}`).join('&')
    expect(viewOf(of(`${many}&sort=loss`)).metrics).toHaveLength(MAX_METRICS)
  })
})

describe('a change of the address', () => {
  it('sets one member, and takes it away where it is empty', () => {
    expect(String(withMember(of('a=1'), 'q', 'x y'))).toBe('a=1&q=x+y')
    expect(String(withMember(of('a=1&q=x'), 'q', ''))).toBe('a=1')
  })

  it('shows and hides a column; the usual ones are not named, and none is none', () => {
    const without = withColumn(of(''), 'cost')
    expect(viewOf(without).columns).toEqual(usualColumns.filter((name) => name !== 'cost'))
    expect(String(withColumn(without, 'cost'))).toBe('')
    expect(viewOf(of('columns=')).columns).toEqual([])
  })

  it('shows and hides a metric; with the one that sorts goes its order', () => {
    expect(String(withMetric(of(''), 'loss'))).toBe('metric=loss')
    expect(String(withMetric(of('metric=loss&metric=lr'), 'lr'))).toBe('metric=loss')
    expect(String(withMetric(of('sort=loss&by=BEST&order=ASC&metric=lr'), 'loss'))).toBe('metric=lr')
  })

  it('sorts by a metric with the better values first, and turns the order with the next', () => {
    expect(String(sortedBy(of('sort=lr&by=BEST&order=ASC'), 'loss', false))).toBe('sort=loss')
    expect(String(sortedBy(of('sort=loss'), 'loss', true))).toBe('sort=loss&order=DESC')
    expect(String(sortedBy(of('sort=loss&order=DESC'), 'loss', false))).toBe('sort=loss&order=ASC')
  })
})

it('a run that succeeded is at its end, and another one where it last said', () => {
  expect(fractionOf({ status: 'SUCCEEDED', progress: { fraction: 0.98 } })).toBe(1)
  expect(fractionOf({ status: 'SUCCEEDED', progress: null })).toBe(1)
  expect(fractionOf({ status: 'FAILED', progress: { fraction: 0.98 } })).toBe(0.98)
  expect(fractionOf({ status: 'RUNNING', progress: null })).toBeNull()
})
