/** The grammar tables and the check that uses them, compared with MuJoCo itself. `HUB_TEST_SEED` repeats a run. */

import { isFull, oneIn, testSeed } from '@hub/testing/torture'
import { describe, expect, it } from 'vitest'
import { KEYWORDS, type KeywordSet } from '../src/grammar/keywords.ts'
import type { Attribute, Row } from '../src/grammar/row.ts'
import { contexts, looseContexts, sample } from './grammar/contexts.ts'
import { disagreements, grammarFaults, mujocoError } from './grammar/quick-judge.ts'

const everywhere = contexts()
const all = oneIn(2, everywhere)
const seed = testSeed()
const random = generator(seed)
const attributeNames = [...new Set(everywhere.flatMap(({ row }) => [...row.attributes.keys()]))]
const allWords = [...new Set(Object.values(KEYWORDS).flat())]
const tags = [
  ...new Set(everywhere.flatMap(({ row }) => [...row.children.keys()])),
  'body',
  'frame',
  'replicate',
  'default',
  'nothing',
]

describe(`the grammar of MJCF (seed ${seed})`, () => {
  it('has no attribute that MuJoCo does not have', async () => {
    const found: string[] = []
    for (const { path, row, document } of all) {
      const attributes = [...row.attributes].map(([name, attribute]) => [name, sample(attribute)])
      const error = await mujocoError(document(Object.fromEntries(attributes)))
      if (/unrecognized attribute/.test(error)) found.push(`${path.join('/')}: ${error}`)
    }
    expect(found).toEqual([])
  })

  it('lacks no attribute that MuJoCo accepts at other elements', async () => {
    const documents = all.flatMap(({ row, document }) =>
      pick(
        attributeNames.filter((name) => !row.attributes.has(name)),
        6,
      ).map((name) => document({ [name]: '1' })),
    )
    expect(await disagreements(documents)).toEqual([])
    for (const document of documents) expect(grammarFaults(document).faults, document).not.toEqual([])
  })

  it("has MuJoCo's elements in the same places", async () => {
    const documents = all
      .filter(beyondPlugins)
      .flatMap(({ row, document }) =>
        [...row.children.keys(), ...pick(tags, 8)].map((tag) => document({}, `<${tag}/>`)),
      )
    expect(await disagreements(documents)).toEqual([])
  })

  it('allows an element twice where MuJoCo does', async () => {
    const documents = all
      .filter(beyondPlugins)
      .flatMap(({ row, document }) => [...row.children.keys()].map((tag) => document({}, `<${tag}/><${tag}/>`)))
    expect(await disagreements(documents)).toEqual([])
  })

  it('reads the value of each attribute as MuJoCo does', async () => {
    const documents = [...all.filter(beyondPlugins), ...looseContexts()].flatMap(({ row, document }) =>
      [...row.attributes].flatMap(([name, attribute]) =>
        pick(valuesFor(attribute), 2).map((value) => document({ [name]: value })),
      ),
    )
    expect(await disagreements(documents)).toEqual([])
  })

  it('accepts only the words of each keyword set', async () => {
    const documents = [...attributeOfEachSet()].flatMap(([set, documentWith]) =>
      [...KEYWORDS[set], ...pick(allWords, 20)].map(documentWith),
    )
    expect(await disagreements(documents)).toEqual([])
  })

  it('requires, combines and excludes attributes as MuJoCo does', async () => {
    const documents = all
      .filter(beyondPlugins)
      .flatMap(({ row, document }) => subsets(row).map((names) => document(only(row, names))))
    expect(documents.length).toBeGreaterThan(isFull ? 500 : 150)
    expect(await disagreements(documents)).toEqual([])
  })
})

/** MuJoCo looks up a plugin before it reads its declaration, and this build has none. */
function beyondPlugins({ path }: { path: readonly string[] }): boolean {
  return path[1] !== 'extension'
}

const values =
  `@ 1 -1 1|2 0|0|0 1|2|3 1|2|3|4 1|2|3|4|5 1|2|3|4|5|6 1|2|3|4|5|6|7 1|2|3|4|5|6|7|8|9|10 1|2|3|4|5|6|7|8|9|10|11 1.5 1e39 1e400 1e-40
  1e-400 nan inf 0x10 3000000000 true auto none xyz 1,2`
    .split(/\s+/)
    .map((value) => value.replaceAll('|', ' '))

/** For each set of keywords, documents with a word at one attribute that takes the set. */
function attributeOfEachSet(): Map<KeywordSet, (word: string) => string> {
  const found = new Map<KeywordSet, (word: string) => string>()
  for (const { row, document } of everywhere.filter(beyondPlugins)) {
    for (const [name, { type }] of row.attributes) {
      if ('set' in type) found.set(type.set, (word) => document({ [name]: word }))
    }
  }
  return found
}

function valuesFor({ type }: Attribute): string[] {
  const words = 'set' in type ? KEYWORDS[type.set] : []
  const first = words[0] ?? ''
  return [
    ...values,
    '',
    ' ',
    ...words,
    ` ${first}`,
    `${words.at(-1) ?? ''} ${first}`,
    `${first} ${first}`,
    first.toUpperCase(),
  ]
}

/** All ways to have or not have the attributes that a constraint or a requirement of the row is about. */
function subsets(row: Row): string[][] {
  const required = [...row.attributes].filter(([, attribute]) => attribute.required).map(([name]) => name)
  const names = [...new Set([...row.constraints.flatMap(({ bundles }) => bundles.flat()), ...required])].slice(0, 7)
  return names.length === 0
    ? []
    : Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, i) => bits & (1 << i)))
}

/** Samples of the attributes named, and no other one, not even those that the element needs. */
function only(row: Row, names: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    [...row.attributes].map(([name, attribute]) => [name, names.includes(name) ? sample(attribute) : null]),
  )
}

function pick<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: Math.min(count, items.length) }, () => items[Math.floor(random() * items.length)] as T)
}

/** A small generator of numbers from 0 to 1 (mulberry32): the same seed, the same documents. */
function generator(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
