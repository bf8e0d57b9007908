/** Streams of one list that build one event share it only where all that it shows is the same. */
import { expect, it } from 'vitest'
import { sameEvent } from '../../src/accounts/changes/same-event.ts'
import type { Viewer } from '../../src/operation/context.ts'
import { numberOfEvent } from '../../src/operation/shared-event.ts'

const viewerOf = (credentialId: string, repoIds: readonly string[] | null = null) =>
  ({ kind: 'key', credentialId, repoIds }) as unknown as Viewer
const thing = { id: 'run_1' }
const eventOf = (nodes: readonly unknown[], removedIds: readonly string[] = []) => ({ nodes, removedIds })

it('gives the event of the first stream to the next ones', () => {
  const nodes = [{ id: 'run_1' }, { id: 'run_2' }]
  const first = eventOf([...nodes])
  expect(sameEvent(viewerOf('key_1'), 'here', first)).toBe(first)
  expect(numberOfEvent(first)).toBeNull()
  const others = [1, 2].map(() => sameEvent(viewerOf('key_1'), 'here', eventOf([...nodes])))
  expect(others).toEqual([first, first])
  expect(new Set(others)).toEqual(new Set([first]))
  expect(numberOfEvent(first)).not.toBeNull()
})

it.each([
  ['another credential', viewerOf('key_2'), 'here', eventOf([thing])],
  ['fewer rights of the credential', viewerOf('key_1', []), 'here', eventOf([thing])],
  ['another place', viewerOf('key_1'), 'there', eventOf([thing])],
  ['another removed id', viewerOf('key_1'), 'here', eventOf([thing], ['run_9'])],
  ['one more thing', viewerOf('key_1'), 'here', eventOf([thing, { id: 'run_2' }])],
  ['a later reading of the thing', viewerOf('key_1'), 'here', eventOf([{ ...thing }])],
  ['no thing', viewerOf('key_1'), 'here', eventOf([], ['run_9'])],
])('keeps an event apart that has %s', (_what, viewer, place, event) => {
  sameEvent(viewerOf('key_1'), 'here', eventOf([thing]))
  expect(sameEvent(viewer, place, event)).toBe(event)
})
