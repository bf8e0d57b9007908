import { CombinedError } from '@urql/core'
import { describe, expect, it } from 'vitest'
import { isAtFields, isSaidBy, messageOf, PageError, titleOf } from '../../../web/src/ui/problem.ts'

const refused = (type: string) => {
  const problem = { type: `/problems/${type}`, title: 'Credential missing', detail: 'Send `Authorization: Bearer …`.' }
  return new CombinedError({ graphQLErrors: [{ message: 'no', extensions: { problem } }] })
}

describe('an error on a page', () => {
  it('asks a reader who is not signed in to sign in, and says nothing of headers', () => {
    const error = refused('auth.missing')
    expect([titleOf(error), messageOf(error)]).toEqual(['Sign in first', expect.not.stringContaining('Bearer')])
  })

  it('is else the title and the sentence of the Problem', () => {
    const error = refused('forbidden.scope')
    expect([titleOf(error), messageOf(error)]).toEqual(['Credential missing', 'Send `Authorization: Bearer …`.'])
    expect(titleOf(new Error('x'))).toBe('Something went wrong')
  })

  it('names what a page itself finds missing, and a hub that does not answer', () => {
    const missing = new PageError('The result is not there', 'There is no result a/b/c.')
    expect([titleOf(missing), messageOf(missing)]).toEqual(['The result is not there', 'There is no result a/b/c.'])
    const silent = new CombinedError({ networkError: new Error('Failed to fetch') })
    expect([titleOf(silent), messageOf(silent)]).toEqual(['No answer', expect.stringContaining('cannot be reached')])
  })

  it('stands above a form unless all of it stands at its fields', () => {
    const at = (...names: string[]) => {
      const errors = names.map((name) => ({ loc: ['input', name], detail: 'is too long' }))
      const problem = {
        type: '/problems/validation.value',
        title: 'Invalid value',
        detail: 'name: is too long',
        errors,
      }
      return new CombinedError({ graphQLErrors: [{ message: 'no', extensions: { problem } }] })
    }
    expect(isSaidBy(at('name'), ['is too long'])).toBe(true)
    // The field of the owner is not drawn where a person has one account only.
    expect([isSaidBy(at('owner'), []), isSaidBy(at('owner'), ['another fault'])]).toEqual([false, false])
    const fields = ['name', 'owner']
    expect(isAtFields(at('name', 'owner'), fields)).toBe(true)
    expect(isAtFields(at('name', 'slug'), fields)).toBe(false)
    expect(isAtFields(refused('forbidden.scope'), fields)).toBe(false)
  })
})
