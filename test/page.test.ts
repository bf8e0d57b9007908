import { expect, test } from 'vitest'
import { HubError } from '../src/errors.ts'
import { decodeCursor, encodeCursor, MAX_CURSOR_LENGTH } from '../src/page.ts'

const refusal = (cursor: string) => {
  try {
    return decodeCursor('repos:created', cursor)
  } catch (error) {
    return error instanceof HubError ? error.type : error
  }
}

test('a cursor gives back the key that it was made of', () => {
  for (const key of [['2026-01-01T00:00:00.000Z', 'repo_1'], [1, null], ['naïve/日本 "quoted"']]) {
    expect(decodeCursor('repos:created', encodeCursor('repos:created', key))).toEqual(key)
  }
})

test('a cursor of another listing is refused', () => {
  expect(refusal(encodeCursor('repos:updated', ['x']))).toBe('validation.cursor')
})

test('a malformed cursor is refused', () => {
  const good = encodeCursor('repos:created', ['x'])
  const crafted = (json: string) =>
    Buffer.from(Buffer.from(good, 'base64url').toString().slice(0, 12) + json).toString('base64url')
  const bad = [
    '',
    '!',
    `${good}=`,
    good.slice(0, -2),
    'AAAA',
    crafted('{}'),
    crafted('["\\u0000"]'),
    crafted('[1e999]'),
  ]
  for (const cursor of bad) expect(refusal(cursor), cursor).toBe('validation.cursor')
})

test('a cursor of more than 512 characters is refused', () => {
  const long = encodeCursor('repos:created', ['x'.repeat(400)])
  expect(long.length).toBeGreaterThan(MAX_CURSOR_LENGTH)
  expect(refusal(long)).toBe('validation.cursor')
})
