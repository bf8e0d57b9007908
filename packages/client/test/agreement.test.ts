import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answer, type Body, conformsTo } from '../src/agreement.ts'

/** Checked by the compiler: an unused `@ts-expect-error` is itself an error. */
describe('a response check', () => {
  const ofRepo = conformsTo<Answer<'getRepo'>>()

  it('is returned unchanged if it agrees with the OpenAPI document', () => {
    const check = z.looseObject({ id: z.string(), description: z.string().nullable(), tags: z.array(z.string()) })
    expect(ofRepo(check)).toBe(check)
  })

  it('does not compile if it reads an unknown member or one of another type', () => {
    // @ts-expect-error: not a member of a repo
    ofRepo(z.looseObject({ stars: z.number() }))
    // @ts-expect-error: a string in the document
    ofRepo(z.looseObject({ id: z.number() }))
    // @ts-expect-error: can be null in the document
    ofRepo(z.looseObject({ description: z.string() }))
    // @ts-expect-error: not a member of a repo's file summary
    ofRepo(z.looseObject({ file_summary: z.looseObject({ bytes: z.number() }) }))
    // @ts-expect-error: not a member of the body
    const body: Body<'createRepo'> = { slug: 'gripper', kind: 'robot', colour: 'red' }
    expect(body.slug).toBe('gripper')
  })
})
