import { newId } from '@hub/formats/ids'
import { expect, test } from 'vitest'
import { HubError } from '../../src/platform/errors.ts'
import {
  decodeCursor,
  encodeCursor,
  idPart,
  isTimePart,
  type KeyPart,
  type KeyRule,
  MAX_CURSOR_LENGTH,
} from '../../src/platform/page.ts'

const anything = (_part: KeyPart): _part is KeyPart => true
const isText = (part: KeyPart): part is string => typeof part === 'string'

const refusal = (cursor: string, rules: readonly KeyRule<KeyPart>[] = [anything]) => {
  try {
    return decodeCursor('repos:created', cursor, rules)
  } catch (error) {
    return error instanceof HubError ? error.type : error
  }
}

test('a cursor gives back the key that it was made of', () => {
  for (const key of [['2026-01-01T00:00:00.000Z', 'repo_1'], [1, null], ['naïve/日本 "quoted"']]) {
    expect(
      refusal(
        encodeCursor('repos:created', key),
        key.map(() => anything),
      ),
    ).toEqual(key)
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

test('a cursor of more or fewer parts than the listing has is refused', () => {
  const two = encodeCursor('repos:created', ['x', 'y'])
  for (const rules of [[], [isText], [isText, isText, isText]]) expect(refusal(two, rules)).toBe('validation.cursor')
  expect(refusal(two, [isText, isText])).toEqual(['x', 'y'])
})

test('a part that is not what the listing has in its place is refused', () => {
  const read = (part: KeyPart, rule: KeyRule<string>) => refusal(encodeCursor('repos:created', [part]), [rule])
  const repo = newId('repo')
  expect(read(repo, idPart('repo'))).toEqual([repo])
  for (const part of ['repo_1', newId('run'), 7, null]) expect(read(part, idPart('repo'))).toBe('validation.cursor')
  const time = '2024-02-29T09:30:00.000Z'
  expect(read(time, isTimePart)).toEqual([time])
  const noTimes = [
    '2024-02-31T09:30:00.000Z',
    '2023-02-29T09:30:00.000Z',
    '2024-01-01T24:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
    '+012345-01-01T00:00:00.000Z',
    '2024-01-01',
    'now',
    7,
    null,
  ]
  for (const part of noTimes) expect([part, read(part, isTimePart)]).toEqual([part, 'validation.cursor'])
})
