/** Files of a repo in the pages: a store that is busy, and an address that is not given. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readRange } from '../../../web/src/files/range-file.ts'

const asked = vi.fn<typeof fetch>()
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  asked.mockReset()
  vi.stubGlobal('fetch', asked)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const file = (url: () => Promise<string>) => ({ path: 'data.parquet', sizeBytes: 10, url })
const part = () => new Response('abc', { status: 206 })

it('an address that was not given is asked for again with the next range', async () => {
  const url = vi.fn(async () => '/data').mockRejectedValueOnce(new Error('The hub is busy.'))
  const read = readRange(file(url))
  asked.mockImplementation(async () => part())
  await expect(read(0, 3)).rejects.toThrow('The hub is busy.')
  expect((await read(0, 3)).byteLength).toBe(3)
  expect((await read(3, 6)).byteLength).toBe(3)
  expect(url).toHaveBeenCalledTimes(2)
})

it('a busy store is asked again, and one that is not there is told at once', async () => {
  const read = readRange(file(async () => '/data'))
  const busy = new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 })
  asked.mockResolvedValueOnce(busy).mockResolvedValueOnce(part())
  const answer = read(0, 3)
  await vi.advanceTimersByTimeAsync(1000)
  expect([(await answer).byteLength, asked.mock.calls.length]).toEqual([3, 2])
  asked.mockClear()
  const missing = '{"type":"https://hub/problems/not_configured.object_store"}'
  asked.mockResolvedValueOnce(new Response(missing, { status: 503 }))
  await expect(read(0, 3)).rejects.toThrow('503')
  expect(asked).toHaveBeenCalledTimes(1)
})
