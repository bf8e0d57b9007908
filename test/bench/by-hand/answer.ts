/** How the servers that are written by hand answer a read. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noneMatchCovers, strongEtag } from '../../../src/platform/etag.ts'

/** JSON with its ETag; 304 for a client that has it. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply {
  const text = JSON.stringify(value)
  const etag = strongEtag(text)
  reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' })
  if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(text)
}
