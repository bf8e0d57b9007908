/** Contract, "Passwords": what a new one has to be. */
import { describe, expect, it } from 'vitest'
import { assertNewPassword } from '../../../src/accounts/passwords/new-password.ts'

const fault = (password: string, handle = 'ada') => {
  try {
    assertNewPassword(password, handle)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

describe('a new password', () => {
  it.each([
    ['of eleven characters', 'abcdefghijk', /12 to 256/],
    ['of 257 characters', 'abcdefghij'.repeat(26).slice(0, 257), /12 to 256/],
    ['of four different characters', 'abcdabcdabcdabcd', /5 different/],
    ['that is mostly the handle', 'ada-ada-ada-ada1x', /more than your handle/],
    ['of twelve code units but six characters', '🤖🦾🦿🤖🦾🦿', /12 to 256/],
  ])('%s is refused', (_, password, expected) => {
    expect(fault(password)).toMatch(expected)
  })

  it.each([
    'correct horse battery',
    'abcdefghij'.repeat(25).concat('123456'),
    'пароль из многих слов',
    '            12345',
  ])('%j is taken as it is', (password) => {
    expect(fault(password)).toBeNull()
  })
})
