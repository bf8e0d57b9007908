import { cpuWithin } from '@hub/testing/cpu'
import { describe, expect, it } from 'vitest'
import { leavesOf } from '../../../src/runs/config/config-leaf.ts'
import { readConfig } from '../../../src/runs/config/read-config.ts'

function leaves(text: string): Record<string, string> {
  const reading = readConfig(text)
  if ('fault' in reading) throw new Error(reading.fault)
  return Object.fromEntries(reading.leaves.map(({ path, text }) => [path, text]))
}

function faultOf(text: string): string {
  const reading = readConfig(text)
  return 'fault' in reading ? reading.fault : `${reading.leaves.length} leaves`
}

describe('the path of a leaf', () => {
  it.each([
    ['a: 1', 'a'],
    ['a: {b: {c: 1}}', 'a.b.c'],
    ['a: [[1]]', 'a[0][0]'],
    ['a: [{b: 1}]', 'a[0].b'],
    ['[1]', '[0]'],
    ['[{a: 1}]', '[0].a'],
    ['a.b: 1', '["a.b"]'],
    ['a: {"b.c": {d: 1}}', 'a["b.c"].d'],
    ['"a[0]": 1', '["a[0]"]'],
    ['a: {"x]": 1}', 'a["x]"]'],
    ['"": 1', '[""]'],
    ['"say \\"a.b\\"": 1', '["say \\"a.b\\""]'],
    ['"with space": 1', 'with space'],
    ['1: {true: x}', '1.true'],
    ['__proto__: {constructor: 1}', '__proto__.constructor'],
    ['a: &x {b: 1}\nc: *x', 'a.b,c.b'],
    ['a: &x {b: 1}\nc: {<<: *x, d: 2}', 'a.b,c.b,c.d'],
  ])('in %j is %s', (text, path) => {
    expect(Object.keys(leaves(text)).join(',')).toBe(path)
  })
})

describe('the text of a leaf', () => {
  it.each([
    ['hello world', 'hello world'],
    ['"1"', '1'],
    ['2026-01-01', '2026-01-01'],
    ['yes', 'yes'],
    ['true', 'true'],
    ['~', 'null'],
    ['', 'null'],
    ['{}', '{}'],
    ['[]', '[]'],
    ['1', '1'],
    ['1.0', '1'],
    ['0x1F', '31'],
    ['1e-4', '0.0001'],
    ['-0', '0'],
    ['.inf', '.inf'],
    ['-.inf', '-.inf'],
    ['.nan', '.nan'],
    ['9007199254740993', '9007199254740993'],
    ['18446744073709551615', '18446744073709551615'],
    ['-9007199254740993', '-9007199254740993'],
    ['!!int "5"', '5'],
    ['!custom 5', '5'],
    ['!!python/name:torch.nn.ELU ""', ''],
    ['!!binary aGVsbG8=', 'aGVsbG8='],
    ['"line\\nline"', 'line\nline'],
  ])('%s is %j', (value, text) => {
    expect(leaves(`a: ${value}`)).toEqual({ a: text })
  })

  it('under a tag of another language is its content', () => {
    expect(leaves('a: !!python/tuple [1, 2]\nb: !!python/object:foo.Bar {x: 1}')).toEqual({
      'a[0]': '1',
      'a[1]': '2',
      'b.x': '1',
    })
  })

  it('of a duplicate key is the last', () => {
    expect(leaves('a: 1\na: 2')).toEqual({ a: '2' })
  })

  it('distinguishes a string from a number with the same text', () => {
    const reading = readConfig('a: "1"\nb: 1')
    expect('leaves' in reading && reading.leaves.map(({ isText }) => isText)).toEqual([true, false])
  })

  it.each([
    ['\u0024{env.seed}', false],
    ['runs/\u0024{now:%Y}', false],
    ['???', false],
    ['$5', true],
    ['what???', true],
  ])('is a known value: %s %s', (value, known) => {
    const reading = readConfig(`a: "${value}"`)
    expect('leaves' in reading && reading.leaves[0]?.known).toBe(known)
  })

  it('may be JSON, with tabs', () => {
    expect(leaves('{\n\t"a": {\n\t\t"b": [1, "x"]\n\t}\n}')).toEqual({ 'a.b[0]': '1', 'a.b[1]': 'x' })
  })
})

describe('a config that cannot be read', () => {
  it.each([
    ['', 'The config is empty.'],
    ['# nothing', 'The config is empty.'],
    ['null', 'The config is empty.'],
    ['{}', 'The config is empty.'],
    ['hello', 'The config is neither a map nor a list.'],
    ['a: 1\n---\nb: 2', 'The config is more than one YAML document.'],
    ['a:\n\tb: 1', /^The config is not valid YAML: tab .*\(line 2, column 1\)\.$/],
    ['a: [1', /^The config is not valid YAML: .*\.$/],
    ['a: *nobody', /^The config is not valid YAML: .*nobody.*\.$/],
    ['a: &a\n  b: *a', 'The config has more than 100 levels, or contains itself.'],
  ])('%j says why', (text, fault) => {
    if (typeof fault === 'string') expect(faultOf(text)).toBe(fault)
    else expect(faultOf(text)).toMatch(fault)
  })

  const nines = (line: (name: string, inner: string) => string) =>
    ['bcdefghij'].flatMap((names) => [...names].map((name, at) => line(name, 'abcdefghi'[at] ?? 'a'))).join('\n')

  it.each<[string, string, RegExp]>([
    [
      'aliases of aliases',
      `a: &a [x,x]\n${nines((name, inner) => `${name}: &${name} [${`*${inner},`.repeat(9)}]`)}`,
      /20000 values/,
    ],
    [
      'merges of merges',
      `a: &a {x: 1}\n${Array.from({ length: 20_000 }, (_, at) => `k${at}: {<<: *a}`).join('\n')}`,
      /not valid YAML/,
    ],
    ['many aliases', `a: &a 1\nb: [${'*a,'.repeat(50_000)}]`, /not valid YAML/],
    ['deep brackets', '['.repeat(50_000), /not valid YAML/],
    ['deep maps', Array.from({ length: 1000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), /not valid YAML/],
    [
      'levels through aliases',
      `a: &a0 ${'['.repeat(90)}1${']'.repeat(90)}\nb: ${'['.repeat(90)}*a0${']'.repeat(90)}`,
      /100 levels/,
    ],
    ['many keys', Array.from({ length: 30_000 }, (_, at) => `k${at}: 1`).join('\n'), /20000 values/],
    ['a long list', `a: [${'1,'.repeat(90_000)}1]`, /20000 values/],
    // Without its own limit the parser takes some 1 to 1.5 s for each of these.
    ['many commas', `a: [${'1,'.repeat(500_000)}1]`, /100000 lines, commas and brackets/],
    ['empty keys', ':\n'.repeat(500_000), /100000 lines, commas and brackets/],
    ['empty items', '-\n'.repeat(500_000), /100000 lines, commas and brackets/],
    ['ends of documents', 'a\n...\n'.repeat(150_000), /100000 lines, commas and brackets/],
    ['empty documents', '---\n'.repeat(250_000), /more than one YAML document/],
    [
      'a long key over many values',
      `? ${'k'.repeat(100_000)}\n: [${'1,'.repeat(1000)}1]`,
      /keys of the config are too long/,
    ],
    ['many anchors', '&a '.repeat(300_000), /not valid YAML/],
  ])('because of %s is refused soon', async (_what, text, fault) => {
    expect(text.length).toBeLessThan(1_048_576)
    expect(await cpuWithin(3_000, () => expect(faultOf(text)).toMatch(fault))).toBeLessThan(3_000)
  })

  it('of 100,000 lines, commas and brackets are read, and of one more are not', () => {
    // Its colon is one of them.
    const most = `${'#\n'.repeat(99_999)}a: 1`
    expect(readConfig(most)).toMatchObject({ leaves: [{ path: 'a', text: '1' }] })
    expect(faultOf(`#\n${most}`)).toMatch(/more than 100000 lines, commas and brackets/)
  })
})

describe('leaves of any value', () => {
  it.each([[{}], [[]]])('of %j are none', (value) => {
    expect(leavesOf(value)).toEqual({ leaves: [] })
  })

  it('of a scalar are one leaf, without a path', () => {
    expect(leavesOf(5)).toEqual({ leaves: [{ path: '', text: '5', isText: false, known: true }] })
  })
})
