/** Work that is given up when a person ends it. */
import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { unlessAborted } from '../src/unless-aborted.ts'

it('comes to what the work does, and leaves no listener', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7)
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('comes to null once the signal aborts, before or after', async () => {
  const stop = new AbortController()
  const never = new Promise<number>(() => {})
  const waiting = unlessAborted(never, stop.signal)
  stop.abort()
  expect(await waiting).toBeNull()
  expect(await unlessAborted(never, stop.signal)).toBeNull()
})
