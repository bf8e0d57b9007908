/** Configs that were written to keep the hub busy: twice as much of one is twice the work, at the most that the limits allow. */

import { describe, expect, it } from 'vitest'
import { leavesOf } from '../../../src/runs/config/config-leaf.ts'
import { describeConfig } from '../../../src/runs/config/describe-config.ts'
import { groupConfig } from '../../../src/runs/config/diff-config.ts'
import { keyMatcher } from '../../../src/runs/config/key-matcher.ts'
import { readConfig } from '../../../src/runs/config/read-config.ts'
import { BELOW_QUADRATIC, growthOf } from '../../support/growth.ts'

const MAX_CHARACTERS = 1024 * 1024
const filled = (text: string, n: number) => text.repeat(Math.floor(n / text.length))

describe('reading a text is linear in it', () => {
  const texts: readonly [string, (n: number) => string][] = [
    ['beginnings of interpolations that never end', (n) => `a: ${filled('\u0024{', n - 3)}`],
    [
      'aliases of a long text that does not say its value',
      (n) => `a: &a "${filled('\u0024{', n / 2)}"\nb: [${filled('*a,', 300)}]`,
    ],
    ['a list that contains itself', (n) => `&a [*a${filled(',1', n - 8)}]`],
    [
      'a map that contains itself',
      (n) => `&a\nz: *a\n${Array.from({ length: n / 12 }, (_, at) => `k${at}: 1\n`).join('')}`,
    ],
    ['one key of many names', (n) => `? "${filled('a.', n - 100)}"\n: 1`],
    [
      'merges of one large map',
      (n) =>
        `b: &b {${Array.from({ length: n / 40 }, (_, at) => `k${at}: 1`).join()}}\nc:\n${filled('- {<<: *b}\n', n / 2)}`,
    ],
    ['a list', (n) => `- 1\n${filled('- 1\n', n - 4)}`],
    ['lines of a folded text', (n) => `a: >\n${filled(' x\n\n', n - 5)}`],
    ['documents', (n) => filled('--- 1\n', n / 4)],
    ['digits', (n) => `a: ${filled('9', n - 3)}`],
  ]

  it.each(texts)('%s', (_what, make) => {
    expect(make(MAX_CHARACTERS).length).toBeLessThanOrEqual(MAX_CHARACTERS)
    const read = (text: string) => {
      const reading = readConfig(text)
      return 'leaves' in reading && groupConfig(reading.leaves)
    }
    expect(growthOf(make, read, MAX_CHARACTERS)).toBeLessThan(BELOW_QUADRATIC)
  })
})

/** Keys behind one long name, as many as the bound on all paths together lets through. */
const behind = (name: string, value: number) => (count: number) => {
  const reading = leavesOf({ [name]: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value])) })
  if ('fault' in reading) throw new Error(reading.fault)
  return groupConfig(reading.leaves)
}

const hundred = (of: (at: number) => string) => Array.from({ length: 100 }, (_, at) => of(at))

describe('a diff is linear in the configs, whatever was declared', () => {
  const names: readonly [string, string, string[]][] = [
    ['keys that stand everywhere in one name', 'a'.repeat(1000), hundred((at) => 'a'.repeat(450 + at))],
    ['keys that nearly lie on every path', filled('a.', 1000), hundred((at) => `${filled('a.', 900)}b${at}`)],
    ['keys that all lie on every path', hundred((at) => `n${at}`).join('.'), hundred((at) => `n${at}`)],
    ['keys that end in one another', filled('a.', 240), hundred((at) => filled('a.', 2 * at + 2).slice(0, -1))],
  ]

  it.each(names)('%s', (_what, name, declared) => {
    const most = Math.floor((1024 * 1024) / (name.length + 12))
    const make = (n: number) => [behind(name, 1)(n), behind(name, 2)(n)] as const
    const work = ([child, parent]: ReturnType<typeof make>) => describeConfig(child, parent, declared)
    expect(growthOf(make, work, most)).toBeLessThan(BELOW_QUADRATIC)
  })
})

it('a diff is linear in the length of names that contain declared keys everywhere', () => {
  const make = (n: number) => [behind('a'.repeat(n), 1)(16), behind('a'.repeat(n), 2)(16)] as const
  const work = ([child, parent]: ReturnType<typeof make>) => {
    const half = (child.keys[0]?.leaf.path.length ?? 0) / 2
    return describeConfig(
      child,
      parent,
      hundred((at) => 'a'.repeat(Math.floor(half) + at)),
    )
  }
  expect(growthOf(make, work, 1800)).toBeLessThan(BELOW_QUADRATIC)
})

describe('matching declared keys', () => {
  const steps = (keys: readonly string[], paths: readonly string[]) => {
    const matcher = keyMatcher(keys)
    for (const path of paths) matcher.match(path)
    return matcher.steps
  }

  it('reads each name of a path once, whatever the declared keys', () => {
    const paths = Array.from({ length: 50 }, (_, at) => `${filled('a.', 1000)}k${at}`)
    expect(
      steps(
        hundred((at) => `${filled('a.', 900)}b${at}`),
        paths,
      ),
    ).toBe(50 * 501)
    expect(steps(['a'], paths)).toBe(50 * 501)
  })

  const onPath = (keys: string[], path: string) =>
    keyMatcher(keys)
      .match(path)
      .onPath.map((place) => keys[place])
  const under = (keys: string[], path: string) =>
    keyMatcher(keys)
      .match(path)
      .under.map((place) => keys[place])

  it('finds every key whose names are on the path, even overlapping ones', () => {
    expect(onPath(['c', 'b.c', 'a.b.c', 'b', 'c.d', 'x', 'a.c'], 'a.b.c[0]').sort()).toEqual(['a.b.c', 'b', 'b.c', 'c'])
    expect(onPath(['a.a.b', 'a.b'], 'a.a.a.b').sort()).toEqual(['a.a.b', 'a.b'])
    expect(onPath(['b[0]', 'b[1]', '[0]'], 'a.b[0].c')).toEqual(['b[0]'])
    expect(onPath(['ab', 'a', 'b.'], 'ab.b')).toEqual(['ab'])
    expect(onPath(['k'.repeat(1001)], 'k'.repeat(1001))).toEqual([])
  })

  it('marks the keys that the path begins with', () => {
    expect(under(['a', 'a.b', 'b', 'a.b.c.d'], 'a.b.c')).toEqual(['a', 'a.b'])
    expect(under(['[0]', '[1]'], '[0].a')).toEqual(['[0]'])
  })

  it('agrees with a search for each key at each position of the path', () => {
    const ends = (path: string, at: number) => at === path.length || path[at] === '.' || path[at] === '['
    const begins = (path: string, at: number) => at === 0 || path[at - 1] === '.'
    const slow = (key: string, path: string) =>
      Array.from(path, (_, at) => at).some(
        (at) => path.startsWith(key, at) && begins(path, at) && ends(path, at + key.length),
      )
    // Every word of up to six of these characters, except those that cannot be a path of a config.
    let words = ['']
    const all: string[] = []
    for (let length = 1; length <= 6; length += 1) {
      words = words.flatMap((word) => ['a', '.', '['].map((sign) => word + sign))
      all.push(...words)
    }
    const keys = all.filter(({ length }) => length <= 3)
    const matcher = keyMatcher(keys)
    for (const path of all) {
      const expected = keys.filter((key) => slow(key, path))
      expect([
        path,
        matcher
          .match(path)
          .onPath.map((place) => keys[place])
          .sort(),
      ]).toEqual([path, expected.sort()])
    }
  })
})
