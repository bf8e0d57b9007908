import { describe, expect, it } from 'vitest'
import { asDouble, isJsonObject, readJson, writeJson } from '../src/exact-json.ts'

describe("the client's JSON", () => {
  it('writes numbers exactly as it read them', () => {
    const text = '{"a":[9007199254740993,1e-400,1.0,-0,1E5,0.5,17],"b":{"c":"1.0"},"d":null,"e":true}'
    expect(writeJson(readJson(text))).toBe(text)
  })
  it('otherwise behaves like JSON.parse', () => {
    const text = '{"a":1,"a":[2],"__proto__":{"polluted":true},"s":"\\u00e9\\n"}'
    const read = readJson(text) as object
    expect(read).toEqual(JSON.parse(text))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect(writeJson({ a: undefined, b: [undefined], c: 1 })).toBe('{"b":[null],"c":1}')
    for (const bad of ['', '{', '[1.0,]', '01', 'NaN']) expect(() => readJson(bad)).toThrow(SyntaxError)
  })
  it('distinguishes a lossless number from an object', () => {
    const number = readJson('1.0')
    expect([isJsonObject(number), asDouble(number), isJsonObject({}), asDouble('1')]).toEqual([
      false,
      1,
      true,
      undefined,
    ])
  })
})
