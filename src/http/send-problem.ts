/** RFC 9457 on the wire: the one place where a Problem becomes a response. */
import type { FastifyReply } from 'fastify'
import type { Problem } from '../platform/errors.ts'
import { limitHeaders } from '../platform/limit-facts.ts'

/** Sends a Problem with the headers that its status asks for, those of its numbers, and `headers`. */
export function sendProblem(
  reply: FastifyReply,
  problem: Problem,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  reply.header('cache-control', 'no-store')
  return reply
    .code(problem.status)
    .headers({ ...limitHeaders(problem), ...headers })
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem))
}
