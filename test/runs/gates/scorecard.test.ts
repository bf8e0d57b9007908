import { describe, expect, it } from 'vitest'
import { gatesOf } from '../../../src/runs/gates/scorecard.ts'

const names = (scorecard: unknown) => gatesOf(scorecard).rows.map(({ name, status }) => `${name} ${status}`)

describe('gates of a scorecard', () => {
  it.each([
    ['an array of cells', { cells: [{ name: 'walk', status: 'PASS' }] }, ['walk PASS']],
    ['an array of gates', { gates: [{ gate: 'turn', status: 'FAIL' }] }, ['turn FAIL']],
    ['an array of rows', { rows: [{ id: 7, status: 'ERROR' }] }, ['7 ERROR']],
    ['a row without a name, by its place', { rows: [{ status: 'SKIP' }, { status: 'PASS' }] }, ['1 SKIP', '2 PASS']],
    ['a map by name', { walk: { status: 'PASS' }, turn: { status: 'FAIL' } }, ['walk PASS', 'turn FAIL']],
    ['a map by name under gates', { gates: { walk: { status: 'PASS' } }, seed: 3 }, ['walk PASS']],
    [
      'cells before gates and rows',
      { rows: [{ name: 'c', status: 'PASS' }], cells: [{ name: 'a', status: 'PASS' }] },
      ['a PASS'],
    ],
    ['rows where cells hold none', { cells: [], rows: [{ name: 'c', status: 'PASS' }] }, ['c PASS']],
    [
      'no other status',
      { cells: [{ name: 'a', status: 'pass' }, { name: 'b', status: 'OK' }, { name: 'c' }, null, 3, 'PASS'] },
      [],
    ],
    ['nothing in an array', [{ name: 'a', status: 'PASS' }], []],
    ['nothing in a text', 'PASS', []],
    ['nothing in null', null, []],
    ['nothing in a scorecard of one verdict', { status: 'PASS', score: 1 }, []],
  ])('are found in %s', (_what, scorecard, expected) => {
    expect(names(scorecard)).toEqual(expected)
  })

  it('count only PASS and FAIL', () => {
    const cells = ['PASS', 'PASS', 'FAIL', 'ERROR', 'SKIP'].map((status, place) => ({ name: `c${place}`, status }))
    expect(gatesOf({ cells })).toMatchObject({ passed: 2, total: 3 })
  })

  it('are 0 of 0 if no row is recognised', () => {
    expect(gatesOf({ reward: 3 })).toEqual({ rows: [], passed: 0, total: 0 })
  })

  it.each([
    ['detail', { detail: 'fell after 2 s' }, 'fell after 2 s'],
    ['a message', { message: 'fell' }, 'fell'],
    ['a number', { detail: 0.25 }, '0.25'],
    ['no object', { detail: { a: 1 } }, null],
    ['nothing', {}, null],
  ])('say %s', (_what, members, detail) => {
    expect(gatesOf({ cells: [{ name: 'a', status: 'FAIL', ...members }] }).rows[0]?.detail).toBe(detail)
  })

  it('count all rows of a huge scorecard and keep the first thousand, with truncated texts', () => {
    const cells = Array.from({ length: 5000 }, () => ({
      name: 'n'.repeat(5000),
      status: 'PASS',
      detail: 'd'.repeat(5000),
    }))
    const gates = gatesOf({ cells })
    expect(gates.rows).toHaveLength(1000)
    expect(gates.total).toBe(5000)
    expect(gates.rows[0]?.name).toHaveLength(200)
    expect(gates.rows[0]?.detail).toHaveLength(1000)
  })

  it('treat a property name of JavaScript like any other name', () => {
    expect(names(JSON.parse('{"cells":{"__proto__":{"status":"PASS"},"constructor":{"status":"FAIL"}}}'))).toEqual([
      '__proto__ PASS',
      'constructor FAIL',
    ])
  })
})
