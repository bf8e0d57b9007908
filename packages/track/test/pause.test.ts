/** A wait that is repeated for days keeps nothing of those before. */
import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { pause } from '../src/pause.ts'

it('ends after its time, and at once when the signal aborts; it leaves no listener', async () => {
  const ended = new AbortController()
  for (let at = 0; at < 3; at += 1) await pause(1, ended.signal)
  expect(getEventListeners(ended.signal, 'abort')).toEqual([])
  const long = pause(1_000_000, ended.signal)
  ended.abort()
  await long
  await pause(1_000_000, ended.signal)
})
