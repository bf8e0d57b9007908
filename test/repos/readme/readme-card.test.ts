import { describe, expect, it } from 'vitest'
import { MAX_HEADER_CHARACTERS } from '../../../src/platform/readme-header.ts'
import {
  MAX_CARD_BYTES,
  MAX_CARD_LABELS,
  MAX_CARD_LEVELS,
  MAX_CARD_TAGS,
  MAX_CARD_VALUES,
  MAX_FACT_CHARACTERS,
  MAX_LABEL_CHARACTERS,
  MAX_SOURCES,
} from '../../../src/repos/readme/limits.ts'
import { noCard, readCard } from '../../../src/repos/readme/readme-card.ts'

const header = (yaml: string) => `---\n${yaml}\n---\n# Title\n`
const cardOf = (yaml: string) => readCard(header(yaml))
const listOf = (count: number, item: (at: number) => string) =>
  `[${Array.from({ length: count }, (_, at) => item(at)).join(', ')}]`

describe('the header of a README', () => {
  it('is the card: license, library, task, title, tags, what it is made from, and the whole of it as JSON', () => {
    const card = cardOf(`license: apache-2.0
library_name: lerobot
pipeline_tag: robotics
pretty_name: Pick up
tags: [LeRobot, so100, "with space"]
language: [en, no]
task_categories:
- robotics
size_categories: 1K<n<10K
datasets: lab/Pick
base_model: [lab/act, other/base]
configs:
- config_name: default
  data_files: data/*/*.parquet`)
    expect(card).toMatchObject({
      facts: {
        license: 'apache-2.0',
        libraryName: 'lerobot',
        pipelineTag: 'robotics',
        prettyName: 'Pick up',
        fault: null,
      },
      tags: ['lerobot', 'so100'],
      sources: [
        { relation: 'dataset', name: 'lab/Pick' },
        { relation: 'base_model', name: 'lab/act' },
        { relation: 'base_model', name: 'other/base' },
      ],
    })
    expect(card.labels).toEqual([
      'lerobot',
      'robotics',
      'with space',
      'license:apache-2.0',
      'task_categories:robotics',
      'size_categories:1k<n<10k',
      'language:en',
      'language:no',
      'dataset:lab/pick',
      'base_model:lab/act',
      'base_model:other/base',
    ])
    expect(JSON.parse(card.data ?? '')).toMatchObject({
      tags: ['LeRobot', 'so100', 'with space'],
      configs: [{ config_name: 'default', data_files: 'data/*/*.parquet' }],
    })
  })

  it('keeps numbers as they are written, dates and words of other languages as texts', () => {
    const { data } = cardOf('a: 1.10\nb: 123456789012345678901\nc: 2024-01-02\nd: no\ne: .nan\nf: -.inf\ng: ~')
    expect(data).toBe('{"a":1.10,"b":123456789012345678901,"c":"2024-01-02","d":"no","e":".nan","f":"-.inf","g":null}')
  })

  it.each(['# none', '', '---', '---\n---\n', '---\n\n---\n', '---\nlicense: mit\n', 'a\n---\nlicense: mit\n---\n'])(
    'is none in %j',
    (readme) => {
      expect(readCard(readme)).toEqual(noCard(null))
    },
  )

  it.each(['---\r\nlicense: mit\r\n---\r\n# x', '\uFEFF---\nlicense: mit\n---', '\n\n---  \nlicense: mit\n--- \n'])(
    'is found in %j',
    (readme) => {
      expect(readCard(readme).facts).toMatchObject({ license: 'mit', fault: null })
    },
  )

  it.each([
    ['license: [', 'is not YAML'],
    ['- a\n- b', 'is not a list of members'],
    ['just text', 'is not a list of members'],
    ['a: 1\na: 2', 'duplicated'],
    ['a: !!js/function "x"', 'tag'],
    ['? [a, b]\n: c', 'complex keys'],
    ['a: b\n--- \nc: d', 'is read'],
  ])('that is invalid, %j, is a fault, and not a refusal', (yaml, part) => {
    const card = cardOf(yaml)
    if (part === 'is read') expect(card.data).toBe('{"a":"b"}')
    else expect(card).toEqual(noCard(expect.stringContaining(part)))
  })

  it('sets no prototype, and holds no NUL and no half of a character', () => {
    const card = cardOf('__proto__: {license: x}\nconstructor: y\ntags: ["a\\0b", "\\uD800", ok]\nlicense: "\\0"')
    expect(card.data).toContain('"__proto__":{"license":"x"}')
    expect(card.data).not.toContain('\\u0000')
    expect([card.tags, card.facts.license, card.labels]).toEqual([['ok'], null, []])
    expect(Object.hasOwn(Object.prototype, 'license')).toBe(false)
  })

  it('keeps how tags and labels are written, of several spellings the first, where lower case is another', () => {
    const { facts, tags } = cardOf(
      'license: MIT\ntags: [LeRobot, lerobot, arm, "With Space", LEROBOT]\ndatasets: [Lab/Pick, a/b]',
    )
    expect(tags).toEqual(['lerobot', 'arm'])
    expect(facts.spellings).toEqual(['LeRobot', 'With Space', 'license:MIT', 'dataset:Lab/Pick'])
    expect(cardOf('license: mit\ntags: [arm]').facts).not.toHaveProperty('spellings')
    const many = listOf(MAX_CARD_TAGS + 1, (at) => `Tag-${at}`)
    expect(cardOf(`tags: ${many}`).facts.spellings).toHaveLength(MAX_CARD_TAGS)
  })

  it('takes numbers for words, and nothing else that is not text', () => {
    expect(cardOf('tags: [2024, 3.50, true, null, {a: b}, [c], ""]').tags).toEqual(['2024', '3.50'])
    expect(cardOf('license: {a: b}\ntags: 5\npipeline_tag: true').facts).toEqual({
      license: null,
      libraryName: null,
      pipelineTag: null,
      prettyName: null,
      fault: null,
    })
  })
})

describe('each limit of a card, at its edge and one past it:', () => {
  it('characters of the header', () => {
    const yaml = (length: number) => `license: mit\n#${'x'.repeat(length - 'license: mit\n#\n'.length)}`
    expect(cardOf(yaml(MAX_HEADER_CHARACTERS)).facts).toMatchObject({ license: 'mit', fault: null })
    expect(cardOf(yaml(MAX_HEADER_CHARACTERS + 1))).toEqual(noCard(expect.stringContaining('more than 131072')))
  })

  it('levels, also those that aliases make', () => {
    const nested = (levels: number) => `a: ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`
    expect(cardOf(nested(MAX_CARD_LEVELS)).facts.fault).toBeNull()
    expect(cardOf(nested(MAX_CARD_LEVELS + 1))).toEqual(noCard(expect.stringContaining('64 levels')))
    expect(cardOf(nested(5000))).toEqual(noCard(expect.stringContaining('not YAML')))
    expect(cardOf('a: &a {b: *a}')).toEqual(noCard(expect.stringMatching(/levels|YAML/)))
  })

  it('values, also those that aliases make', () => {
    // The header itself and the list are values too.
    const list = (values: number) => `a: ${listOf(values - 2, () => '1')}`
    expect(cardOf(list(MAX_CARD_VALUES)).facts.fault).toBeNull()
    expect(cardOf(list(MAX_CARD_VALUES + 1))).toEqual(noCard(expect.stringContaining('20000 values')))
    const bomb = Array.from({ length: 9 }, (_, at) =>
      at === 0 ? 'x0: &x0 [1,1,1,1,1,1,1,1,1,1]' : `x${at}: &x${at} ${listOf(10, () => `*x${at - 1}`)}`,
    )
    expect(cardOf(bomb.join('\n'))).toEqual(noCard(expect.stringContaining('its aliases written out')))
    expect(cardOf(`a: &a 1\nb: ${listOf(1001, () => '*a')}`)).toEqual(noCard(expect.stringContaining('not YAML')))
  })

  it('bytes of its JSON', () => {
    const text = (bytes: number) => `a: &a "${'x'.repeat(80_000)}"\nb: *a\nd: *a\nc: "${'x'.repeat(bytes)}"`
    const rest = MAX_CARD_BYTES - Buffer.byteLength(cardOf(text(0)).data ?? '')
    expect(Buffer.byteLength(cardOf(text(rest)).data ?? '')).toBe(MAX_CARD_BYTES)
    expect(cardOf(text(rest + 1))).toEqual(noCard(expect.stringContaining('over 256 KiB')))
  })

  it('tags', () => {
    const tags = (count: number) => cardOf(`tags: ${listOf(count, (at) => `t${at}`)}`)
    expect([tags(MAX_CARD_TAGS).tags.length, tags(MAX_CARD_TAGS).facts.fault]).toEqual([MAX_CARD_TAGS, null])
    const more = tags(10_000)
    expect([more.tags.length, more.facts.fault]).toEqual([
      MAX_CARD_TAGS,
      'Of the 10000 tags in the header of README.md, the first 100 are used.',
    ])
    expect(more.data).toContain('t9999')
  })

  it('labels', () => {
    const languages = (count: number) => cardOf(`language: ${listOf(count, (at) => `l${at}`)}`)
    expect(languages(MAX_CARD_LABELS).facts.fault).toBeNull()
    expect(languages(MAX_CARD_LABELS + 1).labels).toHaveLength(MAX_CARD_LABELS)
    expect(languages(MAX_CARD_LABELS + 1).facts.fault).toContain('the first 100 are used')
  })

  it('repos that it is made from', () => {
    const datasets = (count: number) => cardOf(`datasets: ${listOf(count, (at) => `lab/d${at}`)}`)
    expect(datasets(MAX_SOURCES).facts.fault).toBeNull()
    expect(datasets(MAX_SOURCES + 1).sources).toHaveLength(MAX_SOURCES)
    expect(datasets(MAX_SOURCES + 1).facts.fault).toContain('the first 50 are used')
  })

  it('characters of a license and of a label', () => {
    const licensed = (length: number) => cardOf(`license: ${'x'.repeat(length)}`)
    expect(licensed(MAX_FACT_CHARACTERS).facts.license).toHaveLength(MAX_FACT_CHARACTERS)
    expect(licensed(MAX_FACT_CHARACTERS + 1).facts.license).toBeNull()
    const edge = MAX_LABEL_CHARACTERS - 'license:'.length
    expect([licensed(edge).labels.length, licensed(edge + 1).labels.length]).toEqual([1, 0])
    expect(readCard(header(`license: ${'x'.repeat(100_000)}`)).facts).toMatchObject({ license: null, fault: null })
  })
})
