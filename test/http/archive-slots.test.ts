import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { archiveSlots } from '../../src/http/archive-slots.ts'

/** A visitor of a network of their own. */
function visitor(network: number) {
  const abortOnClose = new AbortController()
  const request = { viewer: null, ip: `10.0.0.${network}`, abortOnClose } as unknown as FastifyRequest
  return { request, leave: () => abortOnClose.abort() }
}

it('are 16 of all callers together, however many networks they come from', () => {
  const take = archiveSlots()
  const visitors = Array.from({ length: 16 }, (_, at) => visitor(at))
  for (const { request } of visitors) take(request)
  const late = visitor(99)
  expect(() => take(late.request)).toThrow(expect.objectContaining({ type: 'unavailable' }))
  visitors[0]?.leave()
  take(late.request)
  expect(() => take(visitor(98).request)).toThrow('The hub sends at most 16 archives')
})

it('are two of a network, and none of a client that has left', () => {
  const take = archiveSlots()
  const left = visitor(1)
  left.leave()
  for (let round = 0; round < 3; round += 1) expect(() => take(left.request)).toThrow(/abort/i)
  const [first, second, third] = [visitor(1), visitor(1), visitor(1)]
  take(first.request)
  take(second.request)
  expect(() => take(third.request)).toThrow(expect.objectContaining({ type: 'rate.limited' }))
  first.leave()
  take(third.request)
})
