/** Which columns `hub runs --columns` means, and which setting a name means. */
import { expect, it } from 'vitest'
import { cellText, parseColumns } from '../src/run-columns.ts'
import { settingOf } from '../src/run-settings.ts'

it('takes metrics with a value of theirs, and settings', () => {
  expect(parseColumns('loss, val/loss:best,config.lr,a:b,:best,loss')).toEqual([
    { head: 'loss', metric: 'loss', value: 'last' },
    { head: 'val/loss:best', metric: 'val/loss', value: 'best' },
    { head: 'config.lr', setting: 'lr' },
    { head: 'a:b', metric: 'a:b', value: 'last' },
    { head: ':best', metric: ':best', value: 'last' },
  ])
  expect(() => parseColumns(' ,')).toThrow('--columns takes 1 to 100 names')
})

it('finds a setting by its path or the end of it, and none where two end so', () => {
  const settings = new Map([
    ['lr', '1'],
    ['policy.lr', '2'],
    ['policy.size', '3'],
    ['env.seed', '4'],
    ['eval.seed', '5'],
  ])
  const names = ['lr', 'policy.lr', 'size', 'seed', 'env.seed', 'ize']
  expect(names.map((name) => settingOf(settings, name))).toEqual(['1', '2', '3', null, '4', null])
})

it('shows a number in short, a text as it is, and what is missing as a dash', () => {
  expect([0, 0.123456789, '1e-4', null, undefined].map(cellText)).toEqual(['0', '0.12346', '1e-4', '-', '-'])
})
