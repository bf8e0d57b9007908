import { expect, it } from 'vitest'
import { type PageOf, pages } from '../src/pages.ts'

async function read(answers: readonly PageOf<number>[]) {
  const asked: (string | undefined)[] = []
  const items: number[] = []
  const listing = pages('http://hub.test', async (cursor) => {
    asked.push(cursor)
    return answers[asked.length - 1] ?? { items: [], next_cursor: null }
  })
  const end = await (async () => {
    for await (const page of listing) items.push(...page)
  })().catch((error: Error) => error.message)
  return { asked, items, end }
}

it('asks for pages until one has no next cursor', async () => {
  const answers = [
    { items: [1, 2], next_cursor: 'a' },
    { items: [], next_cursor: 'b' },
    { items: [3], next_cursor: null },
  ]
  expect(await read(answers)).toEqual({ asked: [undefined, 'a', 'b'], items: [1, 2, 3], end: undefined })
})

it('stops with an error at a hub that returns the cursor that it was sent', async () => {
  const again = { items: [1], next_cursor: 'a' }
  const { asked, items, end } = await read([again, again, again])
  expect([asked, items]).toEqual([
    [undefined, 'a'],
    [1, 1],
  ])
  expect(end).toBe('http://hub.test returned the same page cursor twice; the listing was stopped.')
})
