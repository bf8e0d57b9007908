import { describe, expect, it } from 'vitest'
import { withHiddenShown } from '../src/hidden-characters.ts'

describe('a name', () => {
  it('is shown in the order in which it is written, with what it hides', () => {
    expect(withHiddenShown('photo\u202egnp.exe')).toBe('photo\\u202egnp.exe')
    expect(withHiddenShown('a\u2066b\u2069\u200f\u0007')).toBe('a\\u2066b\\u2069\\u200f\\u0007')
    expect(withHiddenShown('a\tb', '\t')).toBe('a\tb')
  })
  it('of any language stays as it is', () => {
    for (const name of ['שלום.txt', 'ملف', '数据', 'naïve 🤖 file']) expect(withHiddenShown(name)).toBe(name)
  })
})
