/** A root field of an answer by itself: whether it is there, is nothing, or failed. */
import { CombinedError } from '@urql/core'
import { describe, expect, it } from 'vitest'
import { type Answer, rootField as fieldOf, withoutFailedFields } from '../../../web/src/ui/root-field.ts'

interface Data {
  readonly repo: { readonly id: string } | null
  readonly runs: { readonly nodes: readonly string[] } | null
}

const failure = (message: string, path?: readonly (string | number)[]) => ({ message, ...(path && { path }) })
const errorOf = (...graphQLErrors: ReturnType<typeof failure>[]) => new CombinedError({ graphQLErrors })
const messages = (error: CombinedError | undefined) => error?.graphQLErrors.map(({ message }) => message)

/** As the pages see it. */
const rootField = <Name extends keyof Data>(answer: Answer<Data>, name: Name) =>
  fieldOf<Data, Name>(withoutFailedFields(answer), name)

describe('a root field', () => {
  const data: Data = { repo: { id: 'a' }, runs: null }

  it('is not known before the first answer', () => {
    expect(rootField({}, 'repo')).toEqual({ value: undefined, error: undefined })
  })

  it('is null where the hub has no such thing, and nothing failed', () => {
    expect(rootField({ data }, 'runs')).toEqual({ value: null, error: undefined })
  })

  it('that failed is not known, and says why', () => {
    const { value, error } = rootField({ data, error: errorOf(failure('too much', ['runs'])) }, 'runs')
    expect([value, messages(error)]).toEqual([undefined, ['too much']])
  })

  it('that failed stays unknown when urql asks again, which keeps the data and forgets the error', () => {
    const failed = withoutFailedFields({ data, error: errorOf(failure('too much', ['runs'])) })
    expect(rootField({ data: failed.data }, 'runs')).toEqual({ value: undefined, error: undefined })
  })

  it('is there beside one that failed, without the error of that one', () => {
    expect(rootField({ data, error: errorOf(failure('too much', ['runs'])) }, 'repo')).toEqual({
      value: { id: 'a' },
      error: undefined,
    })
  })

  it('is there with what is wrong below it', () => {
    const error = errorOf(failure('no card', ['repo', 'card']), failure('too much', ['runs']))
    const field = rootField({ data, error }, 'repo')
    expect([field.value, messages(field.error)]).toEqual([{ id: 'a' }, ['no card']])
  })

  it('has what is wrong with the whole request: an error without a path, or a hub that is away', () => {
    const ended = errorOf(failure('too much time', []))
    for (const error of [
      ended,
      errorOf(failure('no document')),
      new CombinedError({ networkError: new Error('away') }),
    ])
      for (const name of ['repo', 'runs'] as const)
        expect(rootField({ error }, name)).toEqual({ value: undefined, error })
  })
})
