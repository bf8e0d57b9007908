import { randomFrom } from '@hub/testing/random'
import { describe, expect, it } from 'vitest'
import { canonicalSha256, canonicalText } from '../src/canonical-hash.ts'
import { asDouble, ExactNumber, isJsonObject, parseExact, withDoubles, writeExact } from '../src/exact-json.ts'

const again = (text: string) => JSON.stringify(parseExact(text))

describe('JSON with exact numbers', () => {
  it.each(['1.0', '-0', '-0.0', '1e5', '1E+5', '1e-400', '9007199254740993', '0.10', '12345678901234567890', '1e21'])(
    'writes %s as it read it',
    (number) => {
      expect(parseExact(number)).toBeInstanceOf(ExactNumber)
      expect([again(number), asDouble(parseExact(number))]).toEqual([number, Number(number)])
      expect(again(` { "a\\n" : [ ${number} , {"b":${number}} ] } `)).toBe(`{"a\\n":[${number},{"b":${number}}]}`)
    },
  )

  it.each([
    '0',
    '-1',
    '0.1',
    '1e+21',
    '1.5e-7',
    '123456789012345680000',
    '999999999999999',
    '9007199254740991',
    '-2.5',
  ])('leaves %s a double, which writes it the same', (number) => {
    expect(parseExact(`[${number}]`)).toEqual([Number(number)])
    expect(again(number)).toBe(number)
  })

  it('is JSON.parse in everything else', () => {
    const texts = [
      '{"a":1,"a":1.0,"b":{},"c":[],"d":null,"e":true,"f":false,"g":"1.0 \\" \\\\","":"\\u00e9\\ud800","1":2,"0":1.50}',
      '[[[1.0],[]],{"x":{"y":"\\\\"}},"\\\\\\"",1e2]',
      '{"__proto__":{"polluted":1.0},"constructor":2.0}',
      '\t[\r\n1.0 ,\n2 ]\n',
      '"1.0"',
      '1.0',
    ]
    for (const text of texts) expect(withDoubles(parseExact(text))).toEqual(JSON.parse(text))
    const proto = parseExact('{"__proto__":{"polluted":1.0}}') as object
    expect([Object.getPrototypeOf(proto), Object.keys(proto)]).toEqual([Object.prototype, ['__proto__']])
  })

  it('reads every text as JSON.parse does, but for the spelling', () => {
    const random = randomFrom(20_261_122)
    const space = () => random.pick(['', '', ' ', '\n\t'])
    const leaves = [
      '1.0',
      '-0',
      '17',
      '1e-7',
      '"a\\"b"',
      '"\\\\"',
      '"1.0"',
      'null',
      'true',
      '9007199254740993',
      '[]',
      '{}',
    ]
    const write = (depth: number): string => {
      if (depth === 0 || random.chance(0.3)) return space() + random.pick(leaves) + space()
      const items = Array.from({ length: random.int(0, 3) }, () => write(depth - 1))
      if (random.chance(0.5)) return `[${items.join(',') || space()}]`
      return `{${items.map((item) => `${space()}${random.pick(['"a"', '"b\\n"', '"__proto__"', '"c"'])}${space()}:${item}`).join(',')}}`
    }
    for (let round = 0; round < 500; round += 1) {
      const text = write(5)
      expect(withDoubles(parseExact(text))).toEqual(JSON.parse(text))
    }
  })

  it('refuses what is none with the words of JSON.parse', () => {
    for (const text of [
      '',
      '{"a":1.0',
      '[1.0,]',
      '{"a":1.0,}',
      '01',
      '1.',
      '"a',
      '{"a" 1.0}',
      '1.0 2.0',
      '"\\',
      '--1',
      '{"\\"',
    ]) {
      const told = (parse: (text: string) => unknown) => {
        try {
          return parse(text)
        } catch (error) {
          return String(error)
        }
      }
      expect([text, told(parseExact)]).toEqual([text, told(JSON.parse)])
    }
  })

  it('takes any depth that JSON.parse takes', () => {
    const levels = 100_000
    expect(Array.isArray(parseExact(`${'['.repeat(levels)}1.0${']'.repeat(levels)}`))).toBe(true)
  })
})

const { rawJSON } = JSON

/** As on Node 20, whose `JSON` has no `rawJSON`. */
function withoutRawJson<T>(work: () => T): T {
  JSON.rawJSON = undefined
  try {
    return work()
  } finally {
    JSON.rawJSON = rawJSON
  }
}

describe.each([
  ['Node 24', <T>(work: () => T) => work()],
  ['Node 20', withoutRawJson],
] as const)("the client's JSON (%s)", (node, on) => {
  it('writes numbers exactly as it read them', () => {
    const text = '{"a":[9007199254740993,1e-400,1.0,-0,1E5,0.5,17],"b":{"c":"1.0"},"d":null,"e":true}'
    on(() => expect(writeExact(parseExact(text))).toBe(text))
    on(() => expect(writeExact(parseExact('{"a":[1.0],"b":-0}'), 2)).toBe('{\n  "a": [\n    1.0\n  ],\n  "b": -0\n}'))
    on(() => expect(writeExact(parseExact('1e400'))).toBe('1e400'))
  })
  it('otherwise behaves like JSON.parse', () => {
    const text = '{"a":1,"a":[2],"__proto__":{"polluted":true},"s":"\\u00e9\\n"}'
    const read = parseExact(text) as object
    expect(read).toEqual(JSON.parse(text))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    on(() => expect(writeExact({ a: undefined, b: [undefined], c: 1 })).toBe('{"b":[null],"c":1}'))
    on(() => expect(() => writeExact(undefined)).toThrow(TypeError))
    for (const bad of ['', '{', '[1.0,]', '01', 'NaN']) expect(() => parseExact(bad)).toThrow(SyntaxError)
  })
  it('distinguishes a lossless number from an object', () => {
    const number = parseExact('1.0')
    expect([isJsonObject(number), asDouble(number), isJsonObject({}), asDouble('1')]).toEqual([false, 1, true, null])
  })
  it('has the nearest double where JSON.stringify alone writes', () => {
    const written = on(() => JSON.stringify(parseExact('[1.0,9007199254740993]')))
    expect(written).toBe(node === 'Node 24' ? '[1.0,9007199254740993]' : '[1,9007199254740992]')
  })
})

describe('canonical JSON', () => {
  it('has one spelling for a number that a double gives back, and the source for any other', () => {
    const canonical = (text: string) => canonicalText(parseExact(text))
    for (const [text, expected] of [
      ['1.0', '1'],
      ['-0.0', '0'],
      ['1E5', '100000'],
      ['1e30', '1e+30'],
      ['100000000000000000000000', '1e+23'],
      ['0.000001', '0.000001'],
      ['0.0000001', '1e-7'],
      ['9007199254740993', '9007199254740993'],
      ['0.30000000000000004', '0.30000000000000004'],
      ['0.3000000000000000400', '0.30000000000000004'],
      ['0.300000000000000041', '0.300000000000000041'],
      ['1e-400', '1e-400'],
      ['0e-400', '0'],
      ['{"b":1.0,"a":[1e-400,null],"é":"x"}', '{"a":[1e-400,null],"b":1,"é":"x"}'],
    ] as const)
      expect([text, canonical(text)]).toEqual([text, expected])
  })

  it('tells values apart that round to one', () => {
    const hash = (text: string) => canonicalSha256(parseExact(text) as object)
    expect(hash('{"n":9007199254740993}')).not.toBe(hash('{"n":9007199254740992}'))
    expect(hash('{"n":1.0,"m":null}')).toBe(hash('{"n":1}'))
  })

  it('has none for what JSON cannot say', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, '\ud800'])
      expect(() => canonicalText(value)).toThrow()
  })
})
