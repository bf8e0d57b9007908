/** What the form of hyperparameters reads and changes, over the text of a JSON object. */
import { writeExact } from '@hub/formats/exact-json'
import { describe, expect, it } from 'vitest'
import {
  asKind,
  hyperparamsOf,
  isSame,
  jsonTyped,
  kindOf,
  shownValue,
  valueAt,
  valueTyped,
  withHyperparam,
} from '../../../web/src/pages/runs/submit/hyperparams-text.ts'

describe('a field of a hyperparameter', () => {
  it.each([
    ['8', '8'],
    ['1e-4', '1e-4'],
    ['1.0', '1.0'],
    ['9007199254740993', '9007199254740993'],
    ['.5', '0.5'],
    ['-3.', '-3'],
    ['+2', '2'],
    ['true', 'true'],
    ['null', 'null'],
    [' cosine ', '"cosine"'],
    ['1e', '"1e"'],
    ['0x10', '"0x10"'],
    ['007', '7'],
  ])('reads %s as %s', (typed, json) => expect(writeExact(valueTyped(typed))).toBe(json))

  it('is empty where nothing is typed', () => expect(valueTyped(' ')).toBeUndefined())

  it('shows texts as they are and other values as JSON, numbers with their digits', () => {
    const shown = ['a', valueTyped('1.0'), 1e-7, true, null, [1], undefined].map(shownValue)
    expect(shown).toEqual(['a', '1.0', '1e-7', 'true', 'null', '[1]', ''])
  })

  it('has a kind, and becomes another one where it can', () => {
    const values = [1, valueTyped('1.0'), 'a', true, null, [], {}]
    expect(values.map(kindOf)).toEqual(['number', 'number', 'text', 'boolean', 'nothing', 'json', 'group'])
    expect([asKind('8', 'number'), asKind('cosine', 'number'), asKind(8, 'text')]).toEqual([8, undefined, '8'])
    expect([asKind('true', 'boolean'), asKind(1, 'nothing'), asKind(undefined, 'group')]).toEqual([true, null, {}])
    expect([isSame(valueTyped('1.0'), valueTyped('1')), jsonTyped('[1, '), jsonTyped('[1]')]).toEqual([
      false,
      undefined,
      [1],
    ])
  })
})

describe('the object of the hyperparameters', () => {
  const text = '{"lr": 1.0e-4, "optimizer.eps": 1, "net": {"depth": 2, "heads": [4]}}'

  it('keeps digits, names and order where one value is changed', () => {
    expect(withHyperparam(text, ['net', 'depth'], 3).replaceAll(/\s/g, '')).toBe(
      '{"lr":1.0e-4,"optimizer.eps":1,"net":{"depth":3,"heads":[4]}}',
    )
    expect(withHyperparam(text, ['lr'], undefined).replaceAll(/\s/g, '')).toBe(
      '{"optimizer.eps":1,"net":{"depth":2,"heads":[4]}}',
    )
    expect(withHyperparam('', ['a', 'b'], 1).replaceAll(/\s/g, '')).toBe('{"a":{"b":1}}')
  })

  it('keeps a group that was emptied, and finds values by their place alone', () => {
    const emptied = withHyperparam('{"net": {"depth": 2}}', ['net', 'depth'], undefined)
    expect(hyperparamsOf(emptied)).toEqual({ net: {} })
    const values = hyperparamsOf(text) ?? {}
    expect([
      valueAt(values, ['net', 'depth']),
      valueAt(values, ['optimizer', 'eps']),
      valueAt(values, ['lr', 'x']),
    ]).toEqual([2, undefined, undefined])
  })

  it('has members with any name', () => {
    const odd = withHyperparam('{}', ['__proto__'], 1)
    expect(Object.entries(hyperparamsOf(odd) ?? {})).toEqual([['__proto__', 1]])
    expect(hyperparamsOf(withHyperparam(odd, ['constructor'], 2))).toMatchObject({ constructor: 2 })
  })

  it('leaves no text where the last value goes, and changes no text that is not an object', () => {
    expect(withHyperparam('{"lr": 1}', ['lr'], undefined)).toBe('')
    expect(['{"lr": 1', '[1]', '7'].map((one) => [hyperparamsOf(one), withHyperparam(one, ['lr'], 2)])).toEqual([
      [null, '{"lr": 1'],
      [null, '[1]'],
      [null, '7'],
    ])
  })
})
