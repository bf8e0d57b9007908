// @module-tag own-graph
/** What pages ask again of a hub that is busy. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { patientFetch } from '../../web/src/app/patient-fetch.ts'

const busy = (headers: Record<string, string> = {}) =>
  new Response('{"errors":[{"extensions":{"problem":{"type":"https://hub/problems/unavailable"}}}]}', {
    status: 503,
    headers,
  })
const done = () => new Response('{"data":{}}')

const asked = vi.fn<typeof fetch>()
beforeEach(() => {
  vi.useFakeTimers()
  asked.mockReset()
  vi.stubGlobal('fetch', asked)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const send = (query: string, signal?: AbortSignal) =>
  patientFetch('/graphql', { body: JSON.stringify({ query }), ...(signal && { signal }) })

it('asks a busy hub again, when the hub says', async () => {
  asked.mockResolvedValueOnce(busy({ 'retry-after': '3' })).mockResolvedValueOnce(done())
  const answer = send('query q { viewer { kind } }')
  await vi.advanceTimersByTimeAsync(2_999)
  expect(asked).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect([(await answer).status, asked.mock.calls.length]).toEqual([200, 2])
})

it('tells a person in the end, at once where it was no read or the hub will never have it', async () => {
  asked.mockImplementation(async () => busy())
  const answer = send('query q { viewer { kind } }')
  await vi.advanceTimersByTimeAsync(15_000)
  expect([(await answer).status, asked.mock.calls.length]).toEqual([503, 5])
  asked.mockClear()
  expect([(await send('mutation m { cancel }')).status, asked.mock.calls.length]).toEqual([503, 1])
  asked.mockClear()
  asked.mockImplementation(async () => new Response('{"type":"/problems/not_configured.hosted_app"}', { status: 503 }))
  expect([(await send('query q { viewer { kind } }')).status, asked.mock.calls.length]).toEqual([503, 1])
})

it('ends with its page', async () => {
  asked.mockImplementation(async () => busy())
  const leaving = new AbortController()
  const answer = send('query q { viewer { kind } }', leaving.signal)
  await vi.advanceTimersByTimeAsync(10)
  leaving.abort(new Error('left'))
  await expect(answer).rejects.toThrow('left')
  expect(asked).toHaveBeenCalledTimes(1)
})
