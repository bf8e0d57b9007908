import { ExactNumber } from '@hub/formats/exact-json'
import { GraphQLScalarType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { placedUnder, ruleFaults } from '../../schema/rule-faults.ts'
import { HubError, invalid } from '../../src/platform/errors.ts'

const under = (error: unknown) => placedUnder('input', error) as HubError

describe('a verb names fields, and the edge names the argument that they stand in', () => {
  it('at every place of a refusal; what has no place gets none', () => {
    const items = [
      { type: 'validation.value', detail: 'is odd', loc: ['files', 0, 'path'] },
      { type: 'validation.value', detail: 'all of it', loc: [] },
      { type: 'conflict.referenced', detail: 'is used' },
    ]
    const cause = new HubError('validation.failed', 'No.', { items, headers: { allow: 'GET' } })
    const placed = under(cause)
    expect(placed.items.map(({ loc }) => loc)).toEqual([['input', 'files', 0, 'path'], ['input'], undefined])
    expect([placed.type, placed.message, placed.headers, placed.cause]).toEqual([
      'validation.failed',
      'No.',
      { allow: 'GET' },
      cause,
    ])
  })

  it('also in a sentence that begins with the place', () => {
    const items = [{ type: 'too_large', detail: 'has 9 bytes', loc: ['artifacts', 'configYaml'] }]
    const facts = { unit: 'bytes', limit: 8, used: 9 }
    const error = new HubError('too_large', 'artifacts.configYaml: has 9 bytes', { items, facts })
    expect([under(error).message, under(error).facts]).toEqual(['input.artifacts.configYaml: has 9 bytes', facts])
  })

  it.each([
    ['a refusal without places', new HubError('not_found', 'It does not exist.')],
    ['what is not a refusal', new TypeError('x')],
  ])('and leaves %s as it is', (_what, error) => expect(under(error)).toBe(error))

  it('of a refusal with one place', () =>
    expect(under(invalid('validation.value', 'is taken', ['slug'])).items).toEqual([
      { type: 'validation.value', detail: 'is taken', loc: ['input', 'slug'] },
    ]))
})

it('a number with more digits than a double is told in words, at its place', () => {
  const type = new GraphQLScalarType({ name: 'AnyJson', parseValue: (value) => value })
  const ruled = { type, extensions: { rule: z.record(z.string(), z.number()) } }
  const value = { gravity: new ExactNumber('0.10000000000000000000000001'), push: 'x' }
  expect(ruleFaults(ruled, value, ['disturbance'])).toMatchObject([
    { detail: 'has more digits than a number of 64 bits holds', loc: ['disturbance', 'gravity'] },
    { detail: expect.stringContaining('received string'), loc: ['disturbance', 'push'] },
  ])
})
