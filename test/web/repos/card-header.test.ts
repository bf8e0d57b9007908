/** The header of a README, edited by a form. */
import { describe, expect, it } from 'vitest'
import { cardOf, withCard } from '../../../web/src/pages/repos/settings/card-header.ts'

const readme = `---
# ours
license: mit # for now
datasets: [ada/pick]
tags:
  - so100
language: en
n: 12345678901234567890
---
# Arm

--- not a header
`

describe('the card of a README', () => {
  it('is read as texts, and lists', () => {
    expect(cardOf(readme)).toEqual({
      pretty_name: null,
      license: 'mit',
      library_name: null,
      pipeline_tag: null,
      language: 'en',
      tags: ['so100'],
    })
  })

  it('is changed where it was, and everything else stays as it was written', () => {
    const changed = withCard(readme, { license: 'apache-2.0', tags: ['so100', 'bench'], language: ['en'] })
    expect(changed).toBe(`---
# ours
license: apache-2.0 # for now
datasets: [ada/pick]
tags:
  - so100
  - bench
language: en
n: 12345678901234567890
---
# Arm

--- not a header
`)
  })

  it('loses a field with its comment, and no other line', () => {
    expect(withCard(readme, { license: null, tags: [] })).toBe(`---
# ours
datasets: [ada/pick]
language: en
n: 12345678901234567890
---
# Arm

--- not a header
`)
    expect(withCard('---\nlicense:\nn: 1\n---\n', { license: 'mit', language: ['en', 'de'] })).toBe(
      '---\nlicense: mit\nn: 1\nlanguage:\n  - en\n  - de\n---\n',
    )
    expect(withCard(readme, { language: ['de'] })).toContain('\nlanguage: de\n')
  })

  it('is not rewritten by a form that changes nothing', () => {
    expect(withCard(readme, cardOf(readme))).toBe(readme)
  })

  it('is created where there is none, and goes with its last field', () => {
    const made = withCard('# Arm\n', { license: 'mit', pretty_name: 'A: "good" arm' })
    expect(cardOf(made)).toMatchObject({ license: 'mit', pretty_name: 'A: "good" arm' })
    expect(made.endsWith('---\n# Arm\n')).toBe(true)
    expect(withCard(made, { license: null, pretty_name: null })).toBe('# Arm\n')
    expect(withCard('', { license: 'mit' })).toBe('---\nlicense: mit\n---\n')
  })

  it.each(['---\nlicense: [\n---\n# x\n', '---\n- a\n---\n'])('is left alone where it is invalid: %j', (text) => {
    expect(() => withCard(text, { license: 'mit' })).toThrow(/header of README.md/)
    expect(() => cardOf(text)).toThrow(/header of README.md/)
  })
})
