import { CombinedError } from '@urql/core'
import { describe, expect, it } from 'vitest'
import { messageOf, titleOf } from '../../../web/src/ui/problem.ts'

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
})
