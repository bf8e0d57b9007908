import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answer, type Body, reading } from '../../src/client/agreement.ts'

/** The compiler is the judge: an expected error that does not come is an error itself. */
describe('a check of an answer', () => {
  const ofRepo = reading<Answer<'getRepo'>>()

  it('is handed back where the document bears it out', () => {
    const check = z.looseObject({ id: z.string(), description: z.string().nullable(), tags: z.array(z.string()) })
    expect(ofRepo(check)).toBe(check)
  })

  it('does not compile where it reads what the document does not have, or has otherwise', () => {
    // @ts-expect-error: no member of a repo
    ofRepo(z.looseObject({ stars: z.number() }))
    // @ts-expect-error: text in the document
    ofRepo(z.looseObject({ id: z.number() }))
    // @ts-expect-error: can be null in the document
    ofRepo(z.looseObject({ description: z.string() }))
    // @ts-expect-error: no member of a repo's summary of files
    ofRepo(z.looseObject({ file_summary: z.looseObject({ bytes: z.number() }) }))
    // @ts-expect-error: no member of the body
    const body: Body<'createRepo'> = { slug: 'gripper', kind: 'robot', colour: 'red' }
    expect(body.slug).toBe('gripper')
  })
})
